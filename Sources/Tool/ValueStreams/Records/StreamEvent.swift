// SPDX-License-Identifier: MIT
package import BLECentral
internal import JSON
internal import TerminalOutput

/// An element of a stream: values or their average, an event of a link or of listening, an alarm, an absence, a write, a served
/// event, or another record.
///
/// The rare ones are indirect: otherwise the largest of them would be the size of each value.
package enum StreamEvent: Sendable {
  case values(ValueBatch)
  indirect case average(AverageRecord)
  indirect case link(LinkRecord)
  indirect case alarm(AlarmRecord)
  indirect case absence(AbsenceRecord)
  indirect case reception(ReceptionRecord)
  indirect case dropped(DroppedRecord)
  indirect case written(WrittenRecord)
  indirect case served(ServedRecord)
  indirect case record(LoggedRecord)
  /// The line of a record, with its end, if the output prints something else than the logs.
  case line([UInt8])

  /// Its memory in bytes, roughly, while it waits.
  var cost: Int {
    switch self {
    case .values(let batch): batch.cost
    case .link, .reception, .dropped, .absence: 256
    case .average(let record): 512 + 256 * record.decoded.fields.count
    case .alarm(let record): 512 + 256 * record.decoded.fields.count
    case .written(let record): 256 + record.bytes
    case .served(let record): 256 + (record.value?.count ?? 0)
    case .record(let record): 256 + record.line.count
    case .line(let line): 64 + line.count
    }
  }

  /// The number of records that are lost with the event; 0 for a record of earlier losses, which are already
  /// counted.
  var count: Int {
    switch self {
    case .values(let batch): batch.values.count
    case .average, .link, .alarm, .absence, .reception, .written, .served, .record, .line: 1
    case .dropped: 0
    }
  }
}

extension Array<StreamEvent> {
  /// The number of records, besides those of losses.
  package var recordCount: Int {
    // In place: to iterate copies each.
    withUnsafeBufferPointer { events in events.indices.reduce(0) { $0 + events[$1].count } }
  }
}

/// A value for a person at a terminal.
package enum TerminalValue {
  /// Fewer bytes are not taken for text, because nearly every one of them is a letter.
  private static let shortestText = 3

  /// The text in the bytes, if any, and the digits.
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

  /// The decoded fields on one line.
  package static func text(of decoded: DecodedFields) -> String {
    let text = TerminalSafe.escaped(decoded.text)
    return text.isEmpty ? "(empty)" : text
  }

  /// The meaning of the bytes, if known, and the digits.
  package static func text(of bytes: [UInt8], _ decoded: DecodedFields?) -> String {
    guard !bytes.isEmpty, let decoded else { return text(of: bytes) }
    return "\(text(of: decoded))  \(Hex.string(bytes))"
  }
}

/// Writes times in UTC, and caches the text of a second, because values come several in each.
package struct TimeText {
  private var second: Int?
  private var text: [UInt8] = []

  package init() {}

  package mutating func append(_ time: Timestamp, to bytes: inout [UInt8]) {
    if time.seconds == second {
      time.replaceFraction(inUTC: &text)
    } else {
      text.removeAll(keepingCapacity: true)
      time.appendUTC(to: &text)
      second = time.seconds
    }
    bytes += text
  }
}
