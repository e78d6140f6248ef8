// SPDX-License-Identifier: MIT

/// A duration in seconds; Foundation for Linux lacks the name.
public typealias CFTimeInterval = Double
