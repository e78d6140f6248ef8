// SPDX-License-Identifier: MIT

// Bus and BluetoothUUID are part of the interface of this module.
@_exported public import BLECore
@_exported public import BLEMeaning
