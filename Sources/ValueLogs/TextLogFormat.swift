// SPDX-License-Identifier: MIT
package import ValueStreams

/// How a log of lines is written.
package protocol TextLogFormat {
  /// What such a file begins with; nothing where it begins with a record.
  var header: [UInt8] { get }
  /// What any such file begins with, whatever is in it.
  var signature: [UInt8] { get }
  /// Whether a file that begins with this line can be continued; the format adapts to one that can.
  mutating func fit(firstLine: [UInt8]) -> LogFit
  /// Appends the lines of an event.
  mutating func append(_ event: StreamEvent, to bytes: inout [UInt8])
}

/// What a file is to a log that is to be written there.
package enum LogFit: Equatable {
  /// It can be continued.
  case same
  /// It is such a log, but has no room for some of the values: these columns are missing.
  case lacks([String])
  /// It is something else.
  case foreign
}
