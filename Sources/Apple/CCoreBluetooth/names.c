// SPDX-License-Identifier: MIT
// Empty: SwiftPM builds no target without a source file.
