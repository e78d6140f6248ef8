// SPDX-License-Identifier: MIT
package import BLECentral
internal import JSON

/// Values of one attribute that came together: what every output gets, of a read and of a subscription.
package struct ValueBatch: Sendable {
  package let origin: ValueOrigin
  package private(set) var values: ArraySlice<ReceivedValue>
  /// How much memory it takes while it waits, in bytes, roughly.
  private(set) var cost: Int
  private let decoding: SharedDecoding?

  package init(_ values: [ReceivedValue], of origin: ValueOrigin) {
    self.origin = origin
    self.values = values[...]
    decoding = origin.meaning.map { SharedDecoding(of: values, $0) }
    cost = ValueBatch.ownCost
    for value in values { cost += ValueBatch.cost(of: value) }
  }

  /// What each value means, by its index in ``values``: decoded once, for all outputs that ask.
  package var decoded: DecodedRows { DecodedRows(rows: decoding?.rows() ?? []) }

  // MARK: Splitting

  /// What a value takes beside its bytes: its time, and the array that holds the bytes.
  private static let overhead = 64
  /// What a batch takes beside its values: itself, and their array; values that come slowly come one by one.
  static let ownCost = 512

  private static func cost(of value: ReceivedValue) -> Int { value.value.count + overhead }

  /// Takes the first values away from this batch, as many as fit.
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

/// What the values of a batch mean.
package struct DecodedRows {
  /// Empty where nothing is known of such values.
  let rows: [DecodedFields?]

  /// The meaning of a value; nil where its bytes do not fit.
  ///
  /// - Parameter index: its index in ``ValueBatch/values``.
  package subscript(index: Int) -> DecodedFields? { rows.isEmpty ? nil : rows[index] }
}

extension JSONWriter {
  /// The fields of a value: `value` and `decoded`.
  package mutating func fields(value: [UInt8]?, decoded: DecodedFields?) {
    field("value", hex: value)
    guard let decoded else { return }
    key("decoded")
    decoded.write(to: &self)
  }
}
