// SPDX-License-Identifier: MIT
internal import ValueStreams

/// A log of the records of `--json`, byte for byte.
extension EventJSON: TextLogFormat {
  var header: [UInt8] { [] }

  var signature: [UInt8] { Array("{\"event\":".utf8) }

  func fit(firstLine: [UInt8]) -> LogFit { firstLine.starts(with: signature) ? .same : .foreign }
}
