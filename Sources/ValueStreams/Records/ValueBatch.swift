// SPDX-License-Identifier: MIT
package import BLECentral
internal import JSON

/// Values of one attribute that came together, from a read or a subscription.
package struct ValueBatch: Sendable {
  package let origin: ValueOrigin
  package private(set) var values: ArraySlice<ReceivedValue>
  /// Its memory in bytes, roughly, while it waits.
  private(set) var cost: Int
  private let decoding: SharedDecoding?

  package init(_ values: [ReceivedValue], of origin: ValueOrigin) {
    self.origin = origin
    self.values = values[...]
    decoding = origin.meaning.map { SharedDecoding(of: values, $0) }
    cost = ValueBatch.ownCost
    for value in values { cost += ValueBatch.cost(of: value) }
  }

  /// The meaning of each value, by its index in ``values``: decoded once, for all outputs that ask.
  package var decoded: DecodedRows { DecodedRows(rows: decoding?.rows() ?? []) }

  // MARK: Splitting

  /// The memory of a value beside its bytes: its time, and the array that holds the bytes.
  private static let overhead = 64
  /// The memory of a batch beside its values; values that come slowly have a batch each.
  static let ownCost = 512

  private static func cost(of value: ReceivedValue) -> Int { value.value.count + overhead }

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
    while end < values.endIndex, case let cost = ValueBatch.cost(of: values[end]), cost <= left {
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

extension JSONWriter {
  package mutating func fields(value: [UInt8]?, decoded: DecodedFields?) {
    field("value", hex: value)
    guard let decoded else { return }
    key("decoded")
    decoded.write(to: &self)
  }
}
