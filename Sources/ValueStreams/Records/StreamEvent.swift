// SPDX-License-Identifier: MIT
package import BLECentral
internal import JSON
internal import TerminalOutput

/// What a stream brings: values, in batches as they were read from the bus, what happened to the links, what was written,
/// what happened to a peripheral of ours, and other records.
package enum StreamEvent: Sendable {
  case values(ValueBatch)
  case link(LinkRecord)
  case dropped(DroppedRecord)
  case written(WrittenRecord)
  case served(ServedRecord)
  case record(LoggedRecord)
  /// The line of a record, with its end, where the output shows it otherwise than the logs.
  case line([UInt8])

  /// How much memory it takes while it waits, in bytes, roughly.
  var cost: Int {
    switch self {
    case .values(let batch): batch.cost
    case .link, .dropped: 256
    case .written(let record): 256 + record.bytes
    case .served(let record): 256 + (record.value?.count ?? 0)
    case .record(let record): 256 + record.line.count
    case .line(let line): 64 + line.count
    }
  }

  /// How many records are lost with it; the record of earlier losses is none, because those are counted already.
  var count: Int {
    switch self {
    case .values(let batch): batch.values.count
    case .link, .written, .served, .record, .line: 1
    case .dropped: 0
    }
  }
}

extension Array<StreamEvent> {
  /// How many records they are.
  var recordCount: Int { reduce(0) { $0 + $1.count } }
}

/// A value as a person reads it on a terminal.
package enum TerminalValue {
  /// Fewer bytes are no text: nearly every one of them is a letter.
  private static let shortestText = 3

  /// The text that the bytes spell, where they spell one, and the digits.
  package static func text(of bytes: [UInt8]) -> String {
    if bytes.isEmpty { return "(empty)" }
    let digits = Hex.string(bytes)
    guard bytes.count >= shortestText, let text = String(validating: bytes, as: UTF8.self),
      text.unicodeScalars.allSatisfy({ !$0.isHarmfulToTerminals })
    else {
      return digits
    }
    return "\"\(text)\" \(digits)"
  }

  /// What was decoded, on one line.
  package static func text(of decoded: DecodedFields) -> String {
    let text = TerminalSafe.escaped(decoded.text)
    return text.isEmpty ? "(empty)" : text
  }

  /// What the bytes mean, where that is known, and the digits.
  package static func text(of bytes: [UInt8], _ decoded: DecodedFields?) -> String {
    guard !bytes.isEmpty, let decoded else { return text(of: bytes) }
    return "\(text(of: decoded))  \(Hex.string(bytes))"
  }
}

/// Writes times in UTC; values that were read together have the same, which is then written from memory.
package struct TimeText {
  private var time: Timestamp?
  private var text: [UInt8] = []

  package init() {}

  package mutating func append(_ time: Timestamp, to bytes: inout [UInt8]) {
    if time != self.time {
      text.removeAll(keepingCapacity: true)
      time.appendUTC(to: &text)
      self.time = time
    }
    bytes += text
  }
}
