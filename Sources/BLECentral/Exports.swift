// SPDX-License-Identifier: MIT

// Errors, identifiers and meanings are part of the interface of this module.
@_exported public import BLECore
@_exported public import BLEMeaning
