// SPDX-License-Identifier: MIT

// The identifiers and the meanings are part of the interface of every library above.
@_exported public import BLEMeaning
