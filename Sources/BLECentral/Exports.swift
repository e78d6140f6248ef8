// SPDX-License-Identifier: MIT

// Whoever imports BLECentral has the identifiers and the meanings too: they are part of its own interface.
@_exported public import BLEMeaning
