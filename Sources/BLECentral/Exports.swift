// SPDX-License-Identifier: MIT

// Errors, identifiers, meanings and the client that two managers may share are part of the interface of this module.
@_exported public import BLECore
@_exported public import BLEMeaning
@_exported public import BlueZClient
