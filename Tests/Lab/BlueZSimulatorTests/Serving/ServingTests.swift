// SPDX-License-Identifier: MIT
import AsyncIO
import BLEWorld
import BlueZSimulator
internal import DBus
import Glibc
import TestSupport
import Testing

@Suite("Serving")
struct ServingTests {
  /// The adapter that serves; the other one, hci0, is the central.
  private static let served = "00:1A:7D:DA:71:14"
  private static let adapterPath = "/org/bluez/hci1"
  private static let uuid = "5e2f0001-5c0e-4b1e-a5d2-6b2f0c7e91aa"

  private typealias Method = @Sendable (_ method: String, _ call: Message) -> LocalAnswer?

  /// Runs a test with a client that offers a characteristic, and another one that is connected to it.
  private func withCharacteristic(
    _ flags: [String], _ properties: [(String, DBusValue)] = [], timing: SimulatorTiming = .brisk,
    perform: @escaping Method, _ body: (SimulatedBus, BusClient, String) async throws -> Void
  ) async throws {
    try await withSimulator(world: .twoAdapters, timing: timing) { bus in
      let application = try await BusClient.connect(to: bus.address)
      try await export(flags, properties, perform, on: application)
      for (member, interface, path) in [
        ("RegisterApplication", "org.bluez.GattManager1", "/app"),
        ("RegisterAdvertisement", "org.bluez.LEAdvertisingManager1", "/adverts/one"),
      ] {
        try await application.call(member, of: interface, at: Self.adapterPath) {
          $0.objectPath(path)
          $0.properties([])
        }
      }
      let central = try await BusClient.connect(to: bus.address)
      try await central.open(Self.served)
      try await body(bus, central, try await central.characteristic(Self.uuid, of: Self.served))
    }
  }

  private func export(
    _ flags: [String], _ properties: [(String, DBusValue)], _ perform: @escaping Method, on client: BusClient
  ) async throws {
    let daemon = try await client.call("GetManagedObjects", of: StandardInterface.objectManager, at: "/")
    let owner = try #require(daemon.sender)
    let service = LocalObject(
      path: "/app/service", interface: "org.bluez.GattService1",
      properties: [("UUID", .string(Self.uuid)), ("Primary", .boolean(true))]
    ) { _, _ in nil }
    let characteristic = LocalObject(
      path: "/app/service/char", interface: "org.bluez.GattCharacteristic1",
      properties: [
        ("UUID", .string(Self.uuid)), ("Service", .objectPath("/app/service")), ("Flags", .strings(flags)),
      ] + properties, perform: perform)
    let advertisement = LocalObject(
      path: "/adverts/one", interface: "org.bluez.LEAdvertisement1",
      properties: [("Type", .string("peripheral")), ("Discoverable", .boolean(true))]
    ) { _, _ in nil }
    await client.connection.export(LocalObjects(root: "/app", for: owner, [service, characteristic]))
    await client.connection.export(LocalObjects(root: "/adverts", for: owner, [advertisement]))
  }

  @Test("An application whose handles do not fit is refused")
  func applicationWhoseHandles() async throws {
    let error = await #expect(throws: DBusError.self) {
      try await withCharacteristic(
        ["read", "notify"], [("Handle", .uint16(0xFFFF))], perform: { _, _ in nil }, { _, _, _ in })
    }
    #expect(error?.message == "Failed to create entry in database")
  }

  @Test("A read that the client does not answer fails after the time limit of the daemon")
  func unanswered() async throws {
    var timing = SimulatorTiming.brisk
    #expect(timing.applicationTimeout == .seconds(5))
    timing.applicationTimeout = .milliseconds(20)
    try await withCharacteristic(["read"], timing: timing, perform: { _, _ in .later }) { _, central, path in
      let start = LoopClock.now
      let error = await #expect(throws: DBusError.self) { try await central.read(path) }
      #expect(error?.message == "Operation failed with ATT error: 0x0e")
      #expect(LoopClock.now - start >= .milliseconds(20))
    }
  }

  @Test("A central that hangs up while its read is open ends the daemon")
  func centralHangsUp() async throws {
    let asked = Promise<Void>()
    var timing = SimulatorTiming.brisk
    timing.applicationTimeout = .seconds(1)
    try await withCharacteristic(
      ["read"], timing: timing,
      perform: { _, _ in
        asked.fulfil(())
        return .later
      }
    ) { bus, central, path in
      let read = await central.beginRead(path)
      await asked.value
      await bus.simulator.dropLink(ofAdapter: "hci0")
      #expect(await read.failure != nil)
      let end = await central.log.first { $0 == .owner(name: "org.bluez", owner: "") }
      #expect(end != nil)
    }
  }

  @Test("Values from the socket of a client are notifications")
  func valuesSocketClient() async throws {
    let ours = Lock<Int32>(-1)
    let perform: Method = { method, call in
      guard method == "AcquireNotify" else { return nil }
      var ends: [Int32] = [-1, -1]
      let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
      guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
      for value in UInt8(1)...3 { _ = send(ends[0], [value, value], 2, 0) }
      ours.withLock { $0 = ends[0] }
      defer { close(ends[1]) }
      return .now(
        Message(replyTo: call) {
          $0.descriptor(ends[1])
          $0.uint16(517)
        })
    }
    let acquirable: [(String, DBusValue)] = [("NotifyAcquired", .boolean(false))]
    try await withCharacteristic(["notify"], acquirable, perform: perform) { _, central, path in
      try await central.gatt("StartNotify", path)
      let last = await central.log.first { $0.bytes("Value", at: path) == [3, 3] }
      #expect(last != nil)
      let values = central.log.events().compactMap { $0.bytes("Value", at: path) }
      #expect(values == [[1, 1], [2, 2], [3, 3]])
    }
    close(ours.withLock { $0 })
  }

  @Test(
    "Unknown flags are refused",
    arguments: [
      ([String](), "No valid service object found"), (["read", "unknown"], "No valid service object found"),
    ])
  func unknownFlagsRefused(_ flags: [String], _ text: String) async throws {
    try await withSimulator(world: .twoAdapters) { bus in
      let application = try await BusClient.connect(to: bus.address)
      try await export(flags, [], { _, _ in nil }, on: application)
      let error = await application.failure(
        "RegisterApplication", of: "org.bluez.GattManager1", at: Self.adapterPath
      ) {
        $0.objectPath("/app")
        $0.properties([])
      }
      #expect(error?.name == "org.bluez.Error.Failed")
      #expect(error?.message == text)
    }
  }

  @Test("A link of a central that ends before the daemon has read about it is announced, and its end, too")
  func visit() async throws {
    func visit(_ simulator: isolated Simulator) -> Bool {
      defer { simulator.disconnectCentral("F2:CE:17:00:00:01") }
      return simulator.connectCentral("F2:CE:17:00:00:01", to: Self.served)
    }
    try await withCharacteristic(["read"], perform: { _, _ in nil }) { bus, client, _ in
      #expect(await visit(bus.simulator))
      try await client.barrier()
      let path = Self.adapterPath + "/dev_F2_CE_17_00_00_01"
      let events = client.log.events()
      #expect(events.contains { if case .added(path, _) = $0 { true } else { false } })
      #expect(events.contains { $0.sets("Connected", to: .boolean(false), at: path) })
    }
  }
}
