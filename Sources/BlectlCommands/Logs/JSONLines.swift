// SPDX-License-Identifier: MIT
internal import JSON

/// A log of the records of `--json`, byte for byte.
struct JSONLines: TextLogFormat {
  private var json = JSONWriter(reservingCapacity: 64 * 1024)

  var header: [UInt8] { [] }

  func accepts(firstLine: [UInt8]) -> Bool { firstLine.starts(with: Array("{\"event\":".utf8)) }

  mutating func append(_ event: StreamEvent, to bytes: inout [UInt8]) {
    json.removeAll()
    event.append(to: &json)
    bytes += json.bytes
  }
}
