// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral

/// The commands and the subscriptions of an open link.
final class OpenLink: Sendable {
  /// A subscription.
  private struct Reader {
    /// The object of the program that gets the values.
    let subscriber: any AnyObject & Sendable
    let task: Task<Void, Never>
  }

  let device: BLECentral.Peripheral
  let pipe: LinkPipe
  private let loop: EventLoop
  private let readers = Lock<[GATTCharacteristic.ID: Reader]>([:])

  init(_ device: BLECentral.Peripheral, on loop: EventLoop) {
    self.device = device
    self.loop = loop
    pipe = LinkPipe(on: loop)
  }

  /// Returns whether values of a characteristic go to an object of the program.
  func isSubscribed(_ subscriber: any AnyObject & Sendable, to id: GATTCharacteristic.ID) -> Bool {
    let current = readers.withLock { $0[id]?.subscriber }
    return current === subscriber
  }

  /// Reads the values of a subscription until it or the link ends.
  ///
  /// - Parameters:
  ///   - notifications: the values.
  ///   - id: the characteristic in BlueZ.
  ///   - subscriber: the object of the program.
  ///   - take: called with values that arrived together.
  ///   - ended: called if the subscription ends by itself, with the reason; nil if the link was lost.
  func read(
    _ notifications: Notifications, of id: GATTCharacteristic.ID, for subscriber: any AnyObject & Sendable,
    _ take: @escaping @Sendable ([ReceivedValue]) -> Void, ended: @escaping @Sendable (BLEError?) -> Void
  ) {
    let former = readers.withLock { readers in
      let task = Task(executorPreference: loop) { [weak self] in
        var end = BLEError.cancelled(.receiveNotifications)
        do {
          var iterator = notifications.makeAsyncIterator()
          while let batch = try await iterator.nextBatch() { take(batch.elements) }
        } catch {
          end = error as? BLEError ?? end
        }
        if Task.isCancelled { return }
        await self?.ended(id, because: end, ended)
      }
      return readers.updateValue(Reader(subscriber: subscriber, task: task), forKey: id)
    }
    former?.task.cancel()
  }

  /// Forgets a subscription that ended by itself.
  private func ended(
    _ id: GATTCharacteristic.ID, because reason: BLEError, _ report: @Sendable (BLEError?) -> Void
  ) async {
    _ = readers.withLock { $0.removeValue(forKey: id) }
    report(await device.hasLink ? reason : nil)
  }

  /// Ends a subscription, and returns after its last value was handled.
  func unsubscribe(from id: GATTCharacteristic.ID) async {
    guard let reader = readers.withLock({ $0.removeValue(forKey: id) }) else { return }
    reader.task.cancel()
    await reader.task.value
  }

  /// Ends everything after the loss of the link, and returns when all received values were handled.
  func end() async {
    await pipe.finish()
    for reader in readers.withLock({ Array($0.values) }) { await reader.task.value }
  }

  /// Cancels everything: the program gave up the link.
  func cancel() async {
    await pipe.cancel()
    for id in readers.withLock({ Array($0.keys) }) { await unsubscribe(from: id) }
  }
}
