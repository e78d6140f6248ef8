// SPDX-License-Identifier: MIT
internal import BLECentral

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
  private(set) var notifications: ArraySlice<ValueNotification>
  /// How much memory it takes while it waits, in bytes, roughly.
  private(set) var cost: Int

  init(
    address: BluetoothAddress, name: String?, characteristic: GATTCharacteristic, meaning: ValueMeaning?,
    way: ValueRecord.Way, notifications: ArraySlice<ValueNotification>
  ) {
    self.address = address
    self.name = name
    self.characteristic = characteristic
    self.meaning = meaning
    self.way = way
    self.notifications = notifications
    cost = ValueBatch.ownCost
    for notification in notifications { cost += ValueBatch.cost(of: notification) }
  }

  /// What a notification takes beside its bytes: its time, and the array that holds the bytes.
  private static let overhead = 64
  /// What a batch takes beside its notifications: itself, and their array; values that come slowly come one by one.
  static let ownCost = 512

  private static func cost(of notification: ValueNotification) -> Int { notification.value.count + overhead }

  func record(_ notification: ValueNotification, as format: ValueFormat? = nil) -> ValueRecord {
    ValueRecord(
      time: notification.time, address: address, name: name, characteristic: characteristic,
      value: notification.value, meaning: meaning, way: way, format: format)
  }

  /// The first values, as many as fit; they are taken away from this batch.
  mutating func removeFirst(costing limit: Int) -> ValueBatch? {
    if cost <= limit {
      let all = self
      notifications = []
      cost = ValueBatch.ownCost
      return all.notifications.isEmpty ? nil : all
    }
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
    first.cost = limit - left
    notifications = notifications[end...]
    cost -= first.cost - ValueBatch.ownCost
    return first
  }
}
