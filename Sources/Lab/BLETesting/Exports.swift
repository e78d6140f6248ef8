// SPDX-License-Identifier: MIT

@_exported public import BLEFormats
// Bus and BluetoothUUID are part of the interface of this module.
@_exported public import BlueZClient
