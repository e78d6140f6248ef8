// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLECentral
internal import BLEFormats
package import JSON
internal import Synchronization

/// Values of one origin that came together: from a read, a subscription, or an advertisement.
package struct ValueBatch: Sendable {
  private enum Decoding: Sendable {
    /// The values that the first output that asks decodes.
    case shared(SharedDecoding)
    /// Known from the beginning, by the index of the value.
    case known([DecodedFields?])
  }

  package let origin: ValueOrigin
  package private(set) var values: ArraySlice<ReceivedValue>
  /// Its memory in bytes, roughly, while it waits.
  private(set) var cost: Int
  private let decoding: Decoding?

  package init(_ values: [ReceivedValue], of origin: ValueOrigin) {
    self.init(values, of: origin, origin.meaning.map { .shared(SharedDecoding(of: values, $0)) })
  }

  /// Creates a batch of values whose meaning is known already: one for each, nil for bytes without one.
  package init(_ values: [ReceivedValue], decoded: [DecodedFields?], of origin: ValueOrigin) {
    precondition(values.count == decoded.count, "one meaning for each value")
    self.init(values, of: origin, .known(decoded))
  }

  private init(_ values: [ReceivedValue], of origin: ValueOrigin, _ decoding: Decoding?) {
    (self.origin, self.values, self.decoding) = (origin, values[...], decoding)
    cost = ValueBatch.ownCost
    for index in values.indices { cost += cost(of: index) }
  }

  /// The meaning of each value, by its index in ``values``: decoded once, for all outputs that ask.
  package var decoded: DecodedRows {
    switch decoding {
    case .shared(let shared): DecodedRows(rows: shared.rows())
    case .known(let rows): DecodedRows(rows: rows)
    case nil: DecodedRows(rows: [])
    }
  }

  /// One of the values alone, with its meaning; `index` is that in ``values``.
  package func single(at index: Int) -> ValueBatch {
    var single = self
    single.values = values[index...index]
    single.cost = ValueBatch.ownCost + cost(of: index)
    return single
  }

  // MARK: Splitting

  /// The memory of a value beside its bytes: its time, and the array that holds the bytes.
  private static let overhead = 64
  /// The memory of a batch beside its values; values that come slowly have a batch each.
  static let ownCost = 512

  /// The memory of a decoded field, and of its key and unit.
  private static let fieldCost = 160

  private func cost(of index: Int) -> Int {
    let cost = values[index].value.count + ValueBatch.overhead
    // Meanings that outputs decode are counted by ``SharedDecoding``.
    guard case .known(let rows) = decoding else { return cost }
    return cost + ValueBatch.fieldCost * (rows[index]?.fields.count ?? 0)
  }

  /// Removes the first values, as many as fit, and returns them.
  mutating func removeFirst(costing limit: Int) -> ValueBatch? {
    if cost <= limit {
      let all = self
      values = []
      cost = ValueBatch.ownCost
      return all.values.isEmpty ? nil : all
    }
    var end = values.startIndex
    var left = limit - ValueBatch.ownCost
    while end < values.endIndex, case let cost = cost(of: end), cost <= left {
      left -= cost
      end += 1
    }
    guard end > values.startIndex else { return nil }
    var first = self
    first.values = values[..<end]
    first.cost = limit - left
    values = values[end...]
    cost -= first.cost - ValueBatch.ownCost
    return first
  }
}

/// The meanings of the values of a batch.
package struct DecodedRows {
  /// Empty if nothing is known of such values.
  let rows: [DecodedFields?]

  /// The meaning of the value with that index in ``ValueBatch/values``; nil if its bytes do not fit.
  package subscript(index: Int) -> DecodedFields? { rows.isEmpty ? nil : rows[index] }
}

/// The meaning of some values, decoded by the first output that asks; the threads of others wait for it.
///
/// Decoding costs more than anything else that an output does. Decoded values take ten times the memory of
/// the bytes, and a slow output keeps its batches: above a limit, each output decodes for itself.
final class SharedDecoding: Sendable {
  /// The maximum number of decoded values that the whole process keeps.
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

extension JSONWriter {
  package mutating func fields(value: [UInt8]?, decoded: DecodedFields?) {
    field("value", hex: value)
    guard let decoded else { return }
    key("decoded")
    decoded.write(to: &self)
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
  /// An object: the values by their keys, then `rest`, `problem` and `wrong_checksum` if there are any.
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
    if !problems.isEmpty { json.field(Self.problemKey, problems.joined(separator: "; ")) }
    if hasWrongChecksum { json.field(Self.wrongChecksumKey, true) }
  }
}
