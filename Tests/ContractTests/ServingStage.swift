// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEPeripheral
internal import BLEWorld
internal import BlueZSimulator
internal import TestSupport
internal import Testing

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

  /// Publishes a service and advertises it; the central that is not BlueZ connects.
  static func serveToOther(
    _ characteristics: [LocalCharacteristic], mtu: Int = 517, isHidden: Bool = false,
    _ body: (any Stage, PeripheralManager, PublishedService) async throws -> Void
  ) async throws {
    try await serveToOther(LocalService(uuid, characteristics), mtu: mtu, isHidden: isHidden, body)
  }

  /// Does the same with any service.
  static func serveToOther(
    _ service: LocalService, mtu: Int = 517, isHidden: Bool = false,
    _ body: (any Stage, PeripheralManager, PublishedService) async throws -> Void
  ) async throws {
    let stage = try await Stages.twoAdapters.value
    try await run { manager, central in
      let service = try await manager.add(service)
      try await manager.startAdvertising(Advertisement(name: "Served", services: [uuid]))
      do {
        try await connectOther(mtu: mtu, isHidden: isHidden, central)
        try await body(stage, manager, service)
      } catch {
        try await stage.disconnectCentral()
        throw error
      }
      try await stage.disconnectCentral()
    }
  }

  /// Connects the central that is not BlueZ to the first adapter; `isHidden`: with a private address.
  static func connectOther(
    mtu: Int = 517, isHidden: Bool = false, _ central: CentralManager
  ) async throws {
    guard let first = await central.adapters.first(where: { $0.id == "hci0" }) else {
      throw Contract.Missing(what: "hci0")
    }
    try await Stages.twoAdapters.value.connectCentral(
      to: first.address, mtu: mtu, isHidden: isHidden)
  }

  /// A characteristic of a service that the peripheral has offered since `events` began.
  static func find(
    _ uuid: BluetoothUUID, in service: BluetoothUUID, on peripheral: Peripheral, _ events: CentralEvents
  ) async throws -> GATTCharacteristic {
    var events = events.makeAsyncIterator()
    while true {
      do throws(BLEError) { return try await peripheral.characteristic(uuid, in: service) } catch {
        guard error.code == .notFound else { throw error }
      }
      guard try await events.next() != nil else { throw Contract.Missing(what: "an event") }
    }
  }

  static func address(of adapter: String, _ central: CentralManager) async throws -> BluetoothAddress {
    guard let found = await central.adapters.first(where: { $0.id == adapter }),
      let address = BluetoothAddress(found.address)
    else { throw Contract.Missing(what: adapter) }
    return address
  }

  /// Forgets what BlueZ knows of the first adapter as a device, and returns its address.
  @discardableResult
  static func forgetFirst(_ central: CentralManager) async throws -> BluetoothAddress {
    let address = try await address(of: "hci0", central)
    try await central.knownPeripheral(withAddress: address)?.peripheral.unpair()
    return address
  }

  /// The first adapter, as the second hears it; whatever BlueZ knows of it is forgotten, since trees differ between tests.
  static func find(_ central: CentralManager) async throws -> Peripheral {
    let address = try await forgetFirst(central)
    for try await event in central.scan(ScanFilter(addresses: [address])) { return event.info.peripheral }
    throw Contract.Missing(what: "the adapter that advertises")
  }

  /// Advertises values of BTHome one after the other, each until `listen` has printed a value more.
  static func advertise(
    _ story: [String], by manager: PeripheralManager, heardBy listener: ToolRun
  ) async throws {
    for (index, values) in story.enumerated() {
      var advertisement = Advertisement(name: "Changing", isConnectable: true)
      try advertisement.add(try BTHome(parsing: values))
      try await manager.startAdvertising(advertisement)
      let isHeard = await listener.waitForOutput { text in
        text.split(separator: "\n").count { $0.contains(#""event":"value""#) } > index
      }
      guard isHeard else { throw Contract.Missing(what: values) }
      try await manager.stopAdvertising()
    }
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
  static let short = BuiltIn.uuid("fff0")

  /// The service that the tests offer.
  static let uuid = BuiltIn.uuid("5e2fe000-5c0e-4b1e-a5d2-6b2f0c7e91aa")

  /// A UUID of a characteristic.
  static func uuid(_ number: UInt16) -> BluetoothUUID {
    let digits = String(number, radix: 16)
    return BuiltIn.uuid(
      "5e2f\(String(repeating: "0", count: 4 - digits.count))\(digits)-5c0e-4b1e-a5d2-6b2f0c7e91aa")
  }
}

extension Stage {
  /// Lets the central that is not BlueZ do one thing, and checks what comes of it.
  func expect(
    _ request: CentralRequest, _ answer: CentralAnswer = .done(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let seen = try await central(request)
    #expect(seen == answer, "\(request)", sourceLocation: sourceLocation)
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

  /// The first values, as soon as there are that many.
  func first(_ count: Int) async -> [Value] {
    var values: [Value] = []
    for await value in stream {
      values.append(value)
      if values.count == count { break }
    }
    return values
  }
}
