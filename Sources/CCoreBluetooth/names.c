// SPDX-License-Identifier: MIT
// Nothing: SwiftPM builds no target without a source file.
