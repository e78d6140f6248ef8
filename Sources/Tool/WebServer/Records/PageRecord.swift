// SPDX-License-Identifier: MIT
internal import JSON

/// A record of `--json`, read once.
struct PageRecord: Sendable {
  let line: [UInt8]
  let node: JSONNode
  let event: String

  /// Returns nil for a line that is not a record.
  init?(line: [UInt8]) {
    guard let node = try? JSONReader.read(line), let event = node["event"]?.string else { return nil }
    (self.line, self.node, self.event) = (line, node, event)
  }
}
