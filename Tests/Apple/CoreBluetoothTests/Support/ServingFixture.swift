// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEWorld
internal import BlueZSimulator
internal import CoreBluetooth
internal import TestSupport
internal import Testing

/// A peripheral manager on one adapter of a simulated BlueZ, and a central manager on another that hears it.
struct ServingFixture: Sendable {
  static let service = CBUUID(string: "71DA")

  let bus: SimulatedBus
  let delegate: PeripheralDelegate
  let manager: CBPeripheralManager
  let central: CentralFixture

  /// Runs a test with both.
  static func run(
    world: World = .twoAdapters, _ body: (ServingFixture) async throws -> Void
  ) async throws {
    try await withSimulator(world: world) { bus in
      let fixture = ServingFixture(on: bus)
      _ = await fixture.delegate.first { if case .state(.poweredOn) = $0 { true } else { nil } }
      _ = await fixture.central.delegate.first { if case .state(.poweredOn) = $0 { true } else { nil } }
      try await body(fixture)
    }
  }

  private init(on bus: SimulatedBus) {
    self.bus = bus
    delegate = PeripheralDelegate()
    manager = CBPeripheralManager(
      delegate: delegate, queue: delegate.queue,
      options: ["blectl.bus": bus.address, "blectl.adapter": "hci0"])
    central = CentralFixture(on: bus, adapter: "hci1")
  }

  /// Publishes characteristics in a service, and advertises it.
  func serve(_ characteristics: [CBMutableCharacteristic]) async throws -> CBMutableService {
    let service = CBMutableService(type: Self.service, primary: true)
    service.characteristics = characteristics
    manager.add(service)
    let added = await delegate.first { event -> String? in
      if case .added(let other, let error) = event, other === service { "\(error as Any)" } else { nil }
    }
    #expect(added == "nil")
    manager.startAdvertising([
      CBAdvertisementDataLocalNameKey: "Served", CBAdvertisementDataServiceUUIDsKey: [Self.service],
    ])
    let started = await delegate.first {
      if case .advertising(let error) = $0 { "\(error as Any)" } else { nil }
    }
    #expect(started == "nil")
    #expect(manager.isAdvertising)
    return service
  }

  /// Connects the central, and discovers the characteristics of the service.
  func connect() async throws -> (CBPeripheral, [CBCharacteristic]) {
    let peripheral = try await central.connected("Served")
    return (peripheral, try await central.characteristics("71DA", of: peripheral))
  }
}

/// A delegate of the peripheral role that notes what it is called with, and answers as it is made to.
final class PeripheralDelegate: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
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
    case published(CBL2CAPPSM, (any Error)?)
    case unpublished(CBL2CAPPSM, (any Error)?)
    case opened(CBL2CAPChannel?, (any Error)?)
  }

  let queue = DispatchQueue(label: "PeripheralDelegate")
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
  ) { note(peripheral, .published(PSM, error)) }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) { note(peripheral, .unpublished(PSM, error)) }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?
  ) { note(peripheral, .opened(channel, error)) }
}
