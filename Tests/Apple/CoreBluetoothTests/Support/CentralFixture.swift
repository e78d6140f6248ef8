// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEWorld
internal import BlueZSimulator
internal import CoreBluetooth
internal import TestSupport
internal import Testing

/// A central manager on a simulated BlueZ, and its delegate.
struct CentralFixture: Sendable {
  let bus: SimulatedBus
  let delegate: CentralDelegate
  let manager: CBCentralManager

  /// Runs a test with a manager whose Bluetooth is on.
  static func run(world: World = .contract, _ body: (CentralFixture) async throws -> Void) async throws {
    try await withSimulator(world: world) { bus in
      let fixture = CentralFixture(on: bus)
      _ = await fixture.delegate.first { if case .state(.poweredOn) = $0 { true } else { nil } }
      try await body(fixture)
    }
  }

  /// A further manager on the same BlueZ.
  init(on bus: SimulatedBus, adapter: String? = nil) {
    self.bus = bus
    delegate = CentralDelegate()
    var options: [String: Any] = ["blectl.bus": bus.address]
    options["blectl.adapter"] = adapter
    manager = CBCentralManager(delegate: delegate, queue: delegate.queue, options: options)
  }

  /// The peripheral with a name, found by a scan.
  func find(_ name: String) async throws -> CBPeripheral {
    manager.scanForPeripherals(withServices: nil)
    let found = await delegate.first { event -> CBPeripheral? in
      if case .discovered(let peripheral, _, _) = event, peripheral.name == name { peripheral } else { nil }
    }
    manager.stopScan()
    return try #require(found)
  }

  /// The peripheral with a name, connected.
  func connected(_ name: String) async throws -> CBPeripheral {
    let peripheral = try await find(name)
    peripheral.delegate = delegate
    manager.connect(peripheral)
    let isConnected: Bool? = await delegate.first { event in
      if case .connected(let other) = event, other === peripheral { true } else { nil }
    }
    try #require(isConnected == true)
    return peripheral
  }

  /// The characteristics of a service, discovered.
  func characteristics(_ service: String, of peripheral: CBPeripheral) async throws -> [CBCharacteristic] {
    peripheral.discoverServices([CBUUID(string: service)])
    _ = await delegate.first { if case .services = $0 { true } else { nil } }
    let found = try #require(peripheral.services?.first { $0.uuid == CBUUID(string: service) })
    peripheral.discoverCharacteristics(nil, for: found)
    _ = await delegate.first { if case .characteristics = $0 { true } else { nil } }
    return try #require(found.characteristics)
  }

  /// The characteristics of the first service of the bench.
  func bench(_ peripheral: CBPeripheral) async throws -> BenchCharacteristics {
    BenchCharacteristics(all: try await characteristics(benchUUID("0001"), of: peripheral))
  }

  /// Waits for the value of a characteristic.
  func value(of characteristic: CBCharacteristic) async -> (Data?, (any Error)?) {
    let found = await delegate.first { event -> (Data?, (any Error)?)? in
      if case .value(let other, let data, let error) = event, other === characteristic {
        (data, error)
      } else {
        nil
      }
    }
    return found ?? (nil, nil)
  }
}

/// The characteristics of the Contract Bench.
struct BenchCharacteristics: Sendable {
  let all: [CBCharacteristic]

  subscript(number: String) -> CBCharacteristic {
    get throws { try #require(all.first { $0.uuid == CBUUID(string: benchUUID(number)) }) }
  }
}

/// A delegate that notes what it is called with, in order.
final class CentralDelegate: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  /// A call.
  enum Event {
    case state(CBManagerState)
    case discovered(CBPeripheral, [String: Any], NSNumber)
    case connected(CBPeripheral)
    case failedToConnect(CBPeripheral, (any Error)?)
    case disconnected(CBPeripheral, (any Error)?, isReconnecting: Bool)
    case connectionEvent(CBConnectionEvent, CBPeripheral)
    case services(CBPeripheral, (any Error)?)
    case includedServices(CBService, (any Error)?)
    case modified([CBService])
    case characteristics(CBService, (any Error)?)
    case descriptors(CBCharacteristic, (any Error)?)
    case value(CBCharacteristic, Data?, (any Error)?)
    case wrote(CBCharacteristic, (any Error)?)
    case notifying(CBCharacteristic, Bool, (any Error)?)
    case descriptorValue(CBDescriptor, (any Error)?)
    case descriptorWritten(CBDescriptor, (any Error)?)
    case ready
    case rssi((any Error)?)
    case channel(CBL2CAPChannel?, (any Error)?)
  }

  let queue = DispatchQueue(label: "CentralDelegate")
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
  ) { note(.includedServices(service, error)) }

  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    note(.modified(invalidatedServices))
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) { note(.characteristics(service, error)) }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) { note(.descriptors(characteristic, error)) }

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
    note(.channel(channel, error))
  }
}
