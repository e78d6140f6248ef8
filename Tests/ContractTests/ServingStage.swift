// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEPeripheral
internal import TestSupport

/// A machine with two adapters: the first serves, the second is the central.
enum ServingStage {
  /// Runs a test with a peripheral manager and a central manager, and closes both.
  static func run(_ body: (PeripheralManager, CentralManager) async throws -> Void) async throws {
    let bus = Bus.address(try await Stages.twoAdapters.value.address)
    let manager = try await PeripheralManager(bus: bus, adapter: "hci0")
    let central = try await CentralManager(bus: bus, adapter: "hci1")
    do {
      try await body(manager, central)
    } catch {
      await central.close()
      await manager.close()
      throw error
    }
    await central.close()
    await manager.close()
  }

  /// Publishes a service and advertises it; the central finds it and connects.
  static func serve(
    _ characteristics: [LocalCharacteristic], _ body: (Served) async throws -> Void
  ) async throws {
    try await run { manager, central in
      let service = try await manager.add(LocalService(uuid, characteristics))
      try await manager.startAdvertising(Advertisement(name: "Served", services: [uuid]))
      let peripheral = try await find(central)
      try await Contract.connect(peripheral)
      try await body(Served(manager: manager, service: service, peripheral: peripheral))
    }
  }

  /// The first adapter, as the second hears it.
  static func find(_ central: CentralManager) async throws -> Peripheral {
    guard let first = await central.adapters.first(where: { $0.id == "hci0" }),
      let address = BluetoothAddress(first.address)
    else { throw Contract.Missing(what: "hci0") }
    for try await event in central.scan(ScanFilter(addresses: [address])) { return event.info.peripheral }
    throw Contract.Missing(what: "the adapter that advertises")
  }

  /// Waits for an event.
  static func wait(
    for events: inout PeripheralEvents.Iterator, where condition: (PeripheralEvent.Kind) -> Bool
  ) async throws {
    while let event = try await events.next() {
      if condition(event.kind) { return }
    }
    throw Contract.Missing(what: "an event")
  }

  /// The values of notifications before one that ends them.
  static func values(of notifications: Notifications, until last: [UInt8]) async throws -> [[UInt8]] {
    var values: [[UInt8]] = []
    for try await notification in notifications {
      if notification.value == last { break }
      values.append(notification.value)
    }
    return values
  }

  /// A service with a short UUID, of which more fits into an advertisement.
  static let short = World.uuid("fff0")

  /// The service that the tests offer.
  static let uuid = World.uuid("5e2fe000-5c0e-4b1e-a5d2-6b2f0c7e91aa")

  /// A UUID of a characteristic.
  static func uuid(_ number: UInt16) -> BluetoothUUID {
    let digits = String(number, radix: 16)
    return World.uuid(
      "5e2f\(String(repeating: "0", count: 4 - digits.count))\(digits)-5c0e-4b1e-a5d2-6b2f0c7e91aa")
  }
}

/// A service that the central has found.
final class Served: Sendable {
  let manager: PeripheralManager
  let service: PublishedService
  let peripheral: Peripheral
  /// Its first characteristic.
  var characteristic: PublishedCharacteristic { service.characteristics[0] }

  init(manager: PeripheralManager, service: PublishedService, peripheral: Peripheral) {
    self.manager = manager
    self.service = service
    self.peripheral = peripheral
  }
}

/// Values that handlers, which run on another thread, have been given.
final class Received<Value: Sendable>: Sendable {
  private let stream: AsyncStream<Value>
  private let continuation: AsyncStream<Value>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func add(_ value: Value) { continuation.yield(value) }

  /// The first values, as soon as there are so many.
  func first(_ count: Int) async -> [Value] {
    var values: [Value] = []
    for await value in stream {
      values.append(value)
      if values.count == count { break }
    }
    return values
  }
}
