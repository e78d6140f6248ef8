// SPDX-License-Identifier: MIT

// This module's interface includes peripherals, addresses and errors of Bluetooth.
@_exported public import BLECentral
