// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEPeripheral

/// Values that wait for room on their way to the centrals.
///
/// Only tasks on the loop use it.
final class UpdateQueue: @unchecked Sendable {
  /// How many values of a characteristic may wait; of more, the oldest are dropped.
  private static let limit = 4096

  private let manager: PeripheralManager
  private var waiting: [PublishedCharacteristic: ArraySlice<[UInt8]>] = [:]
  /// Those that send no further value before the values of a characteristic have gone.
  private var patient: [PublishedCharacteristic: [Promise<Void>]] = [:]
  /// Called with the characteristic when its first value is dropped.
  var onDrop: (PublishedCharacteristic) -> Void = { _ in }
  private var hasDropped: Set<PublishedCharacteristic> = []

  init(_ manager: PeripheralManager) { self.manager = manager }

  /// Whether values of a characteristic wait.
  func isCongested(_ characteristic: PublishedCharacteristic) -> Bool { waiting[characteristic] != nil }

  /// Waits until no value of a characteristic waits, or until the task is cancelled.
  func waitUntilSent(_ characteristic: PublishedCharacteristic) async {
    guard isCongested(characteristic) else { return }
    let promise = Promise<Void>()
    patient[characteristic, default: []].append(promise)
    await promise.value(ifCancelled: ())
  }

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
    if waiting[characteristic]?.isEmpty ?? false { forget(characteristic) }
  }

  /// Sends what there is room for, of all characteristics.
  func drain() { for characteristic in Array(waiting.keys) { drain(characteristic) } }

  /// Drops what nobody waits for any more.
  func forget(_ characteristic: PublishedCharacteristic) {
    waiting[characteristic] = nil
    for promise in patient.removeValue(forKey: characteristic) ?? [] { promise.fulfil(()) }
  }

  /// Sends a value, unless there is no room.
  private func update(_ characteristic: PublishedCharacteristic, _ value: [UInt8]) -> Bool {
    // A service that has gone wants no values.
    manager.assumeIsolated { (try? $0.update(characteristic, to: value)) ?? true }
  }
}
