// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import CoreBluetooth

/// A delegate of the peripheral role that notes what it is called with, and answers as it is made to.
final class PeripheralWatcher: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
  /// A call.
  enum Event {
    case state(CBManagerState)
    case advertising((any Error)?)
    case added(CBService, (any Error)?)
    case subscribed(CBCentral, CBCharacteristic)
    case unsubscribed(CBCentral, CBCharacteristic)
    case read(CBATTRequest)
    case write([CBATTRequest])
    case ready
    case channel((any Error)?)
  }

  let queue = DispatchQueue(label: "PeripheralWatcher")
  private let stream: AsyncStream<Event>
  private let continuation: AsyncStream<Event>.Continuation
  /// Called with each event on the queue, before it is noted.
  let onEvent = Lock<(@Sendable (CBPeripheralManager, Event) -> Void)?>(nil)

  override init() { (stream, continuation) = AsyncStream.makeStream() }

  private func note(_ manager: CBPeripheralManager, _ event: Event) {
    dispatchPrecondition(condition: .onQueue(queue))
    onEvent.withLock { $0 }?(manager, event)
    continuation.yield(event)
  }

  /// The result of the first event for which there is one; the events before it are passed over.
  func first<Result>(_ match: (Event) -> Result?) async -> Result? {
    for await event in stream {
      if let result = match(event) { return result }
    }
    return nil
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    note(peripheral, .state(peripheral.state))
  }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    note(peripheral, .advertising(error))
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?
  ) { note(peripheral, .added(service, error)) }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) { note(peripheral, .subscribed(central, characteristic)) }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral,
    didUnsubscribeFrom characteristic: CBCharacteristic
  ) { note(peripheral, .unsubscribed(central, characteristic)) }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    note(peripheral, .read(request))
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    note(peripheral, .write(requests))
  }

  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
    note(peripheral, .ready)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) { note(peripheral, .channel(error)) }
}
