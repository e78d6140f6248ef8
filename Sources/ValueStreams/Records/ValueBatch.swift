// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLECentral
internal import BLEMeaning
package import JSON
internal import Synchronization

/// The source of values: an attribute of a device, and the transport.
package final class ValueOrigin: Sendable {
  package enum Transport: String {
    case read
    case signal
    case socket
  }

  package let address: BluetoothAddress
  package let name: String?
  package let characteristic: GATTCharacteristic
  /// The name of the characteristic, if known.
  package let characteristicName: String?
  /// The descriptor that has the values; nil if the characteristic itself has them.
  package let descriptor: GATTDescriptor?
  package let transport: Transport
  /// Whether the device has another characteristic with this UUID, so that only the handle identifies it.
  package let hasTwin: Bool
  /// The meaning of the values, if known.
  package let meaning: ValueMeaning?

  /// `names` are further ones of the device; `view` may be another meaning than the known one; `vocabulary` is what is known.
  package init(
    address: BluetoothAddress, name: String?, names: [String] = [], characteristic: GATTCharacteristic,
    descriptor: GATTDescriptor? = nil, transport: Transport, hasTwin: Bool = false,
    shownAs view: ValueView? = nil,
    in vocabulary: Vocabulary = .known
  ) {
    self.address = address
    self.name = name
    self.characteristic = characteristic
    self.descriptor = descriptor
    self.transport = transport
    self.hasTwin = hasTwin
    let device = ProfileSubject(address: address, names: [name].compactMap(\.self) + names)
    let known =
      if let descriptor {
        ValueMeaning(of: descriptor, in: characteristic, on: device, in: vocabulary)
      } else {
        ValueMeaning(of: AttributeIdentity(characteristic, of: device), in: vocabulary)
      }
    meaning = if let view { view.meaning(insteadOf: known) } else { known }
    characteristicName = vocabulary.name(of: AttributeIdentity(characteristic, of: device))
  }

  package convenience init(
    _ info: PeripheralInfo, _ characteristic: GATTCharacteristic, _ descriptor: GATTDescriptor? = nil,
    via transport: Transport, hasTwin: Bool = false, shownAs view: ValueView? = nil
  ) {
    self.init(
      address: info.lastingAddress, name: info.name, names: info.names, characteristic: characteristic,
      descriptor: descriptor,
      transport: transport, hasTwin: hasTwin, shownAs: view)
  }

  /// The UUID of the attribute that has the values.
  package var attribute: BluetoothUUID { descriptor?.uuid ?? characteristic.uuid }

  /// Writes the fields that identify the attribute.
  package func write(to json: inout JSONWriter) {
    json.field("address", address)
    json.field("name", name)
    json.field("service", characteristic.service)
    json.field("characteristic", characteristic.uuid)
    json.field("handle", Int(characteristic.handle))
    json.field("descriptor", descriptor?.uuid)
  }
}

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

  /// One of the values alone, with its meaning; `index` is that in ``values``.
  package func single(at index: Int) -> ValueBatch {
    var single = self
    single.values = values[index...index]
    single.cost = ValueBatch.ownCost + ValueBatch.cost(of: values[index])
    return single
  }

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
