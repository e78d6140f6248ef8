// SPDX-License-Identifier: MIT

@_exported public import BLEFormats
// This module's interface includes errors, identifiers, formats and the client that two managers may share.
@_exported public import BlueZClient
