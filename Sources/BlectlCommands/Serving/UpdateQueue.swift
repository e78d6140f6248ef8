// SPDX-License-Identifier: MIT
internal import BLEPeripheral

/// Values that wait for room on their way to the centrals.
///
/// Only the thread of the loop uses it.
final class UpdateQueue {
  /// How many values of a characteristic may wait; of more, the oldest are dropped.
  private static let limit = 4096

  private let manager: PeripheralManager
  private var waiting: [PublishedCharacteristic: ArraySlice<[UInt8]>] = [:]
  /// Called with the characteristic when its first value is dropped.
  var onDrop: (PublishedCharacteristic) -> Void = { _ in }
  private var hasDropped: Set<PublishedCharacteristic> = []

  init(_ manager: PeripheralManager) { self.manager = manager }

  /// Whether values wait.
  var isCongested: Bool { !waiting.isEmpty }

  /// Sends a value behind those that wait.
  func send(_ value: [UInt8], of characteristic: PublishedCharacteristic) {
    if waiting[characteristic] == nil, update(characteristic, value) { return }
    waiting[characteristic, default: []].append(value)
    guard waiting[characteristic, default: []].count > Self.limit else { return }
    waiting[characteristic]?.removeFirst()
    if hasDropped.insert(characteristic).inserted { onDrop(characteristic) }
  }

  /// Sends what there is room for.
  func drain(_ characteristic: PublishedCharacteristic) {
    while let value = waiting[characteristic]?.first, update(characteristic, value) {
      waiting[characteristic]?.removeFirst()
    }
    if waiting[characteristic]?.isEmpty ?? false { waiting[characteristic] = nil }
  }

  /// Sends what there is room for, of all characteristics.
  func drain() { for characteristic in Array(waiting.keys) { drain(characteristic) } }

  /// Drops what nobody waits for any more.
  func forget(_ characteristic: PublishedCharacteristic) { waiting[characteristic] = nil }

  /// Sends a value, unless there is no room.
  private func update(_ characteristic: PublishedCharacteristic, _ value: [UInt8]) -> Bool {
    // A service that has gone wants no values.
    manager.assumeIsolated { (try? $0.update(characteristic, to: value)) ?? true }
  }
}
