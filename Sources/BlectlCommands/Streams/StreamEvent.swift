// SPDX-License-Identifier: MIT
internal import BLECentral
internal import JSON

/// What a stream brings: values, in batches as they were read from the bus, and what happened to the links.
enum StreamEvent: Sendable {
  case values(ValueBatch)
  case link(LinkRecord)
  case dropped(DroppedRecord)

  /// How much memory it takes while it waits, in bytes, roughly.
  var cost: Int {
    switch self {
    case .values(let batch): batch.cost
    case .link, .dropped: 256
    }
  }

  /// How many records it is.
  var count: Int {
    if case .values(let batch) = self { batch.notifications.count } else { 1 }
  }
}

/// Values of one characteristic that were read from the bus together.
struct ValueBatch: Sendable {
  let address: BluetoothAddress
  /// What the device calls itself.
  let name: String?
  let characteristic: GATTCharacteristic
  /// What its values mean, where that is known.
  let meaning: ValueMeaning?
  let way: ValueRecord.Way
  var notifications: ArraySlice<Notification>

  /// What a notification takes beside its bytes: its time, and the array that holds the bytes.
  private static let overhead = 64
  /// What a batch takes beside its notifications: itself, and their array; values that come slowly come one by one.
  static let ownCost = 512

  var cost: Int { notifications.reduce(ValueBatch.ownCost) { $0 + ValueBatch.cost(of: $1) } }

  static func cost(of notification: Notification) -> Int { notification.value.count + overhead }

  func record(_ notification: Notification) -> ValueRecord {
    ValueRecord(
      time: notification.time, address: address, characteristic: characteristic, value: notification.value,
      meaning: meaning, way: way)
  }

  /// The first values, as many as fit; they are taken away from this batch.
  mutating func removeFirst(costing limit: Int) -> ValueBatch? {
    var end = notifications.startIndex
    var left = limit - ValueBatch.ownCost
    while end < notifications.endIndex, case let cost = ValueBatch.cost(of: notifications[end]), cost <= left
    {
      left -= cost
      end += 1
    }
    guard end > notifications.startIndex else { return nil }
    var first = self
    first.notifications = notifications[..<end]
    notifications = notifications[end...]
    return first
  }
}

extension StreamEvent {
  /// Appends it as lines of JSON: the records of `--json` and of `.ndjson` logs.
  func append(to json: inout JSONWriter) {
    func line(_ record: some Record) {
      json.object { record.write(to: &$0) }
      json.endRecord()
    }
    switch self {
    case .values(let batch): for notification in batch.notifications { line(batch.record(notification)) }
    case .link(let record): line(record)
    case .dropped(let record): line(record)
    }
  }
}
