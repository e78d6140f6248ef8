// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEPeripheral

/// Values that wait for free buffers on their way to the centrals; used only on the loop.
final class UpdateQueue: Sendable {
  private struct State {
    var waiting: [PublishedCharacteristic: ArraySlice<[UInt8]>] = [:]
    /// Senders that wait until the values of a characteristic have gone.
    var waiters: [PublishedCharacteristic: [Promise<Void>]] = [:]
    var hasDropped: Set<PublishedCharacteristic> = []
    var onDrop: @Sendable (PublishedCharacteristic) -> Void = { _ in }
  }

  /// The limit for each characteristic; beyond it, the oldest values are dropped.
  private static let limit = 4096

  private let manager: PeripheralManager
  private let state = Lock(State())

  init(_ manager: PeripheralManager) { self.manager = manager }

  /// Sets what is called with the characteristic when its first value is dropped.
  func whenDropped(_ body: @escaping @Sendable (PublishedCharacteristic) -> Void) {
    state.exchange(\.onDrop, body)
  }

  func isCongested(_ characteristic: PublishedCharacteristic) -> Bool {
    state.withLock { $0.waiting[characteristic] != nil }
  }

  /// Waits until no value of a characteristic waits, or the task is cancelled.
  func waitUntilSent(_ characteristic: PublishedCharacteristic) async {
    guard isCongested(characteristic) else { return }
    let promise = Promise<Void>()
    state.withLock { $0.waiters[characteristic, default: []].append(promise) }
    await promise.value(ifCancelled: ())
  }

  /// Sends a value after the waiting ones.
  func send(_ value: [UInt8], of characteristic: PublishedCharacteristic) {
    if !isCongested(characteristic), update(characteristic, value) { return }
    let onDrop = state.withLock { state -> (@Sendable (PublishedCharacteristic) -> Void)? in
      state.waiting[characteristic, default: []].append(value)
      guard state.waiting[characteristic, default: []].count > Self.limit else { return nil }
      state.waiting[characteristic]?.removeFirst()
      return state.hasDropped.insert(characteristic).inserted ? state.onDrop : nil
    }
    onDrop?(characteristic)
  }

  /// Sends as many values as BlueZ accepts.
  func drain(_ characteristic: PublishedCharacteristic) {
    while let value = state.withLock({ $0.waiting[characteristic]?.first }), update(characteristic, value) {
      state.withLock { _ = $0.waiting[characteristic]?.removeFirst() }
    }
    if state.withLock({ $0.waiting[characteristic]?.isEmpty }) ?? false { forget(characteristic) }
  }

  func drain() { for characteristic in state.withLock({ Array($0.waiting.keys) }) { drain(characteristic) } }

  /// Drops the waiting values, and releases those who wait for them.
  func forget(_ characteristic: PublishedCharacteristic) {
    let waiters = state.withLock { state in
      state.waiting[characteristic] = nil
      return state.waiters.removeValue(forKey: characteristic) ?? []
    }
    for promise in waiters { promise.fulfil(()) }
  }

  /// Returns whether BlueZ accepted the value.
  private func update(_ characteristic: PublishedCharacteristic, _ value: [UInt8]) -> Bool {
    // The service may be gone, which counts as accepted.
    manager.assumeIsolated { (try? $0.update(characteristic, to: value)) ?? true }
  }
}
