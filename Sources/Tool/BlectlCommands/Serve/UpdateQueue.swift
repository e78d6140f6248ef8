// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEPeripheral

/// Values that wait for free buffers on their way to the centrals; used only on the loop.
final class UpdateQueue: @unchecked Sendable {
  /// The limit for each characteristic; beyond it, the oldest values are dropped.
  private static let limit = 4096

  private let manager: PeripheralManager
  private var waiting: [PublishedCharacteristic: ArraySlice<[UInt8]>] = [:]
  /// Senders that wait until the values of a characteristic have gone.
  private var waiters: [PublishedCharacteristic: [Promise<Void>]] = [:]
  /// Called with the characteristic when its first value is dropped.
  var onDrop: (PublishedCharacteristic) -> Void = { _ in }
  private var hasDropped: Set<PublishedCharacteristic> = []

  init(_ manager: PeripheralManager) { self.manager = manager }

  func isCongested(_ characteristic: PublishedCharacteristic) -> Bool { waiting[characteristic] != nil }

  /// Waits until no value of a characteristic waits, or the task is cancelled.
  func waitUntilSent(_ characteristic: PublishedCharacteristic) async {
    guard isCongested(characteristic) else { return }
    let promise = Promise<Void>()
    waiters[characteristic, default: []].append(promise)
    await promise.value(ifCancelled: ())
  }

  /// Sends a value after the waiting ones.
  func send(_ value: [UInt8], of characteristic: PublishedCharacteristic) {
    if waiting[characteristic] == nil, update(characteristic, value) { return }
    waiting[characteristic, default: []].append(value)
    guard waiting[characteristic, default: []].count > Self.limit else { return }
    waiting[characteristic]?.removeFirst()
    if hasDropped.insert(characteristic).inserted { onDrop(characteristic) }
  }

  /// Sends as many values as BlueZ accepts.
  func drain(_ characteristic: PublishedCharacteristic) {
    while let value = waiting[characteristic]?.first, update(characteristic, value) {
      waiting[characteristic]?.removeFirst()
    }
    if waiting[characteristic]?.isEmpty ?? false { forget(characteristic) }
  }

  func drain() { for characteristic in Array(waiting.keys) { drain(characteristic) } }

  /// Drops the waiting values, and releases those who wait for them.
  func forget(_ characteristic: PublishedCharacteristic) {
    waiting[characteristic] = nil
    for promise in waiters.removeValue(forKey: characteristic) ?? [] { promise.fulfil(()) }
  }

  /// Returns whether BlueZ accepted the value.
  private func update(_ characteristic: PublishedCharacteristic, _ value: [UInt8]) -> Bool {
    // The service may be gone, which counts as accepted.
    manager.assumeIsolated { (try? $0.update(characteristic, to: value)) ?? true }
  }
}
