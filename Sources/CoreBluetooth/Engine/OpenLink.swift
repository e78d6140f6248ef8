// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral

/// The commands and the subscriptions of an open link.
final class OpenLink: Sendable {
  let device: BLECentral.Peripheral
  let pipe: LinkPipe
  private let loop: EventLoop
  /// The tasks that read notifications, by characteristic.
  private let readers = Lock<[GATTCharacteristic.ID: Task<Void, Never>]>([:])

  init(_ device: BLECentral.Peripheral, on loop: EventLoop) {
    self.device = device
    self.loop = loop
    pipe = LinkPipe(on: loop)
  }

  func isSubscribed(to id: GATTCharacteristic.ID) -> Bool { readers.withLock { $0[id] != nil } }

  /// Reads the values of a subscription until it or the link ends.
  func read(
    _ notifications: Notifications, of id: GATTCharacteristic.ID,
    _ take: @escaping @Sendable ([ReceivedValue]) -> Void
  ) {
    let task = Task(executorPreference: loop) {
      var iterator = notifications.makeAsyncIterator()
      while let batch = try? await iterator.nextBatch() { take(batch.elements) }
    }
    _ = readers.withLock { $0.updateValue(task, forKey: id) }
  }

  /// Ends a subscription, and returns after its last value was handled.
  func unsubscribe(from id: GATTCharacteristic.ID) async {
    guard let reader = readers.withLock({ $0.removeValue(forKey: id) }) else { return }
    reader.cancel()
    await reader.value
  }

  /// Ends everything after the loss of the link, and returns when all received values were handled.
  func end() async {
    await pipe.finish()
    for reader in readers.withLock({ Array($0.values) }) { await reader.value }
  }

  /// Cancels everything: the program gave up the link.
  func cancel() async {
    await pipe.cancel()
    for id in readers.withLock({ Array($0.keys) }) { await unsubscribe(from: id) }
  }
}
