// SPDX-License-Identifier: MIT
// swift-format-ignore-file: AlwaysUseLowerCamelCase

internal import Foundation

/// A moment, in seconds since 2001-01-01 00:00 UTC; Foundation for Linux lacks the name.
public typealias CFAbsoluteTime = CFTimeInterval

/// The current time, in seconds since 2001-01-01 00:00 UTC.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date().timeIntervalSinceReferenceDate }

/// A duration in seconds; Foundation for Linux lacks the name.
public typealias CFTimeInterval = Double
