// SPDX-License-Identifier: MIT

// This module's interface includes errors, identifiers, formats and the client that two managers may share.
@_exported public import BLECore
@_exported public import BLEMeaning
@_exported public import BlueZClient
