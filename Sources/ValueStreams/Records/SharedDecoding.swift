// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEMeaning
package import JSON
internal import Synchronization

/// The meaning of some values, decoded by the first output that asks; the threads of others wait for it.
///
/// Decoding costs more than anything else that an output does. Decoded values take ten times the memory of
/// the bytes, and a slow output keeps its batches: above a limit, each output decodes for itself.
final class SharedDecoding: Sendable {
  /// How many decoded values the whole process keeps at most.
  static let mostKept = 8192
  private static let keptCount = Atomic(0)

  private let values: [ReceivedValue]
  private let meaning: ValueMeaning
  private let kept = Lock<[DecodedFields?]?>(nil)

  init(of values: [ReceivedValue], _ meaning: ValueMeaning) {
    self.values = values
    self.meaning = meaning
  }

  deinit {
    if kept.withLock({ $0 != nil }) { Self.keptCount.subtract(values.count, ordering: .relaxed) }
  }

  /// The meaning of each value; nil for values that do not fit.
  func rows() -> [DecodedFields?] {
    kept.withLock { kept in
      if let kept { return kept }
      let rows = values.map { meaning.decode($0.value) }
      if Self.keptCount.add(values.count, ordering: .relaxed).newValue <= Self.mostKept {
        kept = rows
      } else {
        Self.keptCount.subtract(values.count, ordering: .relaxed)
      }
      return rows
    }
  }
}

extension DecodedValue: JSONValue {
  package func write(to json: inout JSONWriter) {
    switch self {
    case .integer(let number): json.literal(String(number))
    case .decimal(let number): json.literal(number.description)
    case .text(let text): json.text(text)
    case .bool(let isTrue): json.literal(isTrue ? "true" : "false")
    case .bytes(let bytes): json.text(Hex.string(bytes))
    case .list(let values): json.array { for value in values { value.write(to: &$0) } }
    case .fields(let fields): json.value(fields)
    }
  }
}

extension DecodedFields: JSONValue {
  /// An object: the values by their keys, then `rest` and `problem` if there are any.
  package func write(to json: inout JSONWriter) {
    json.object { write(fieldsTo: &$0) }
  }

  /// Writes only the fields, into an object that is being written.
  package func write(fieldsTo json: inout JSONWriter) {
    // Avoids the writer's generic functions, which are not specialized for other modules.
    for field in fields {
      json.key(field.key)
      field.value.write(to: &json)
    }
    if !rest.isEmpty { json.field("rest", hex: rest) }
    if !problems.isEmpty { json.field("problem", problems.joined(separator: "; ")) }
  }
}
