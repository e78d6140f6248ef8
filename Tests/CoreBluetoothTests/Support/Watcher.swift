// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import CoreBluetooth

/// A delegate that notes what it is called with, in order.
final class Watcher: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  /// A call.
  enum Event {
    case state(CBManagerState)
    case discovered(CBPeripheral, [String: Any], NSNumber)
    case connected(CBPeripheral)
    case failedToConnect(CBPeripheral, (any Error)?)
    case disconnected(CBPeripheral, (any Error)?, isReconnecting: Bool)
    case connectionEvent(CBConnectionEvent, CBPeripheral)
    case services(CBPeripheral, (any Error)?)
    case includedServices(CBService)
    case modified([CBService])
    case characteristics(CBService, (any Error)?)
    case descriptors(CBCharacteristic)
    case value(CBCharacteristic, Data?, (any Error)?)
    case wrote(CBCharacteristic, (any Error)?)
    case notifying(CBCharacteristic, Bool, (any Error)?)
    case descriptorValue(CBDescriptor, (any Error)?)
    case descriptorWritten(CBDescriptor, (any Error)?)
    case ready
    case rssi((any Error)?)
    case channel((any Error)?)
  }

  let queue = DispatchQueue(label: "Watcher")
  private let stream: AsyncStream<Event>
  private let continuation: AsyncStream<Event>.Continuation
  /// Called with each event on the queue, before it is noted.
  let onEvent = Lock<(@Sendable (Event) -> Void)?>(nil)

  override init() { (stream, continuation) = AsyncStream.makeStream() }

  private func note(_ event: Event) {
    dispatchPrecondition(condition: .onQueue(queue))
    onEvent.withLock { $0 }?(event)
    nonisolated(unsafe) let event = event
    continuation.yield(event)
  }

  /// The result of the first event for which there is one; the events before it are passed over.
  func first<Result>(_ match: (Event) -> Result?) async -> Result? {
    for await event in stream {
      if let result = match(event) { return result }
    }
    return nil
  }

  // MARK: The manager

  func centralManagerDidUpdateState(_ central: CBCentralManager) { note(.state(central.state)) }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) { note(.discovered(peripheral, advertisementData, RSSI)) }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    note(.connected(peripheral))
  }

  func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) { note(.failedToConnect(peripheral, error)) }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: (any Error)?
  ) { note(.disconnected(peripheral, error, isReconnecting: isReconnecting)) }

  func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent,
    for peripheral: CBPeripheral
  ) { note(.connectionEvent(event, peripheral)) }

  // MARK: Peripherals

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    note(.services(peripheral, error))
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
  ) { note(.includedServices(service)) }

  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    note(.modified(invalidatedServices))
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) { note(.characteristics(service, error)) }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) { note(.descriptors(characteristic)) }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) { note(.value(characteristic, characteristic.value, error)) }

  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) { note(.wrote(characteristic, error)) }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) { note(.notifying(characteristic, characteristic.isNotifying, error)) }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?
  ) { note(.descriptorValue(descriptor, error)) }

  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?
  ) { note(.descriptorWritten(descriptor, error)) }

  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { note(.ready) }

  func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
    note(.rssi(error))
  }

  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    note(.channel(error))
  }
}
