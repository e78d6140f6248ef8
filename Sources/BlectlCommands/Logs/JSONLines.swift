// SPDX-License-Identifier: MIT

/// A log of the records of `--json`, byte for byte.
struct JSONLines: TextLogFormat {
  private var writer = EventJSON()

  var header: [UInt8] { [] }

  let signature = Array("{\"event\":".utf8)

  func fit(firstLine: [UInt8]) -> LogFit { firstLine.starts(with: signature) ? .same : .foreign }

  mutating func append(_ event: StreamEvent, to bytes: inout [UInt8]) { writer.append(event, to: &bytes) }
}
