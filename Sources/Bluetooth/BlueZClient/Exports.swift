// SPDX-License-Identifier: MIT

// The interface of every library above this one includes the identifiers and formats.
@_exported public import BLEFormats
