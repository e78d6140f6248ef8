// SPDX-License-Identifier: MIT

/// How a log of lines is written.
protocol TextLogFormat {
  /// What such a file begins with; nothing where it begins with a record.
  var header: [UInt8] { get }
  /// Whether a file that begins with this line can be gone on with; the format adapts to it.
  mutating func accepts(firstLine: [UInt8]) -> Bool
  /// Appends the lines of an event.
  mutating func append(_ event: StreamEvent, to bytes: inout [UInt8])
}
