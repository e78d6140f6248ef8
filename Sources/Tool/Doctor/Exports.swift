// SPDX-License-Identifier: MIT

// The observations of a device are values of this module.
@_exported public import BLECentral
