// SPDX-License-Identifier: MIT

/// A log of the records of `--json`, byte for byte.
struct JSONLines: TextLogFormat {
  private var writer = StreamJSON()

  var header: [UInt8] { [] }

  func accepts(firstLine: [UInt8]) -> Bool { firstLine.starts(with: Array("{\"event\":".utf8)) }

  mutating func append(_ event: StreamEvent, to bytes: inout [UInt8]) { writer.append(event, to: &bytes) }
}
