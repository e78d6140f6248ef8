// SPDX-License-Identifier: MIT
internal import AsyncIO
import BlueZClient
import DBus
import TestSupport
import Testing

@testable import BLECentral

@Suite("Subscribers of a session")
struct NotifySessionTests {
  private func reader() -> BatchSource<ReceivedValue> { BatchSource(loop: .shared) }

  @Test("A late removal does not remove a reader that subscribed meanwhile")
  func lateRemoval() async throws {
    let (first, second) = (reader(), reader())
    try await withIdleCentral { central in
      await central.perform { core in
        let session = NotifySession(path: "/char", transport: .signal, core: core)
        session.add(first)
        session.remove(first)
        session.add(second)
        session.remove(first)
        #expect(!session.isUnused)
        session.remove(second)
        #expect(session.isUnused)
      }
    }
  }
}

@Suite("A characteristic that BlueZ removes and adds again", .timeLimit(.minutes(1)))
struct ReplacedCharacteristicTests {
  private static let device = FakeBlueZ.devicePath(1)
  private static let service = device + "/service0001"
  private static let path = service + "/char0002"
  private static let interface = "org.bluez.GattCharacteristic1"
  private static let characteristic: [(String, DBusValue)] = [
    ("UUID", .string("00002a37-0000-1000-8000-00805f9b34fb")), ("Service", .objectPath(service)),
    ("Flags", .strings(["notify"])),
  ]
  private static let objects: [(String, FakeBlueZ.Interfaces)] = [
    FakeBlueZ.adapter,
    (
      device,
      [
        (
          "org.bluez.Device1",
          FakeBlueZ.device(1) + [("Connected", .boolean(true)), ("ServicesResolved", .boolean(true))]
        )
      ]
    ),
    (
      service,
      [
        (
          "org.bluez.GattService1",
          [
            ("UUID", .string("0000180d-0000-1000-8000-00805f9b34fb")), ("Device", .objectPath(device)),
            ("Primary", .boolean(true)),
          ]
        )
      ]
    ),
    (path, [(interface, characteristic)]),
  ]

  /// A BlueZ that removes the characteristic and adds it again, or signals a value, when it is told to.
  private func bluez() throws -> FakeBlueZ {
    try FakeBlueZ(
      Self.objects,
      behind: { call in
        switch call.member {
        case "Replace":
          [
            FakeBlueZ.removed(Self.path, of: Self.interface),
            FakeBlueZ.added(Self.path, of: Self.interface, Self.characteristic),
          ]
        case "Notify": [FakeBlueZ.changed(Self.path, of: Self.interface, [("Value", .bytes([7]))])]
        default: []
        }
      })
  }

  /// Tells BlueZ to do something, and waits until its signals have arrived.
  private func tell(_ member: String, over central: CentralManager) async throws {
    for member in [member, "Nothing"] {
      try await central.perform { (core) throws(BLEError) in
        let message = Message(call: member, of: "org.example.Test", at: "/", to: "org.bluez")
        try await core.client.call(message, for: Operation(.continue, timeout: nil))
      }
    }
  }

  @Test("A subscription that waited for its turn meanwhile gets the values, as does one that did not wait")
  func waiting() async throws {
    let fake = try bluez()
    let central = try await CentralManager(bus: .address(fake.address))
    let peripheral = try #require(try await central.knownPeripherals().first).peripheral
    let characteristic = try await peripheral.characteristic(BluetoothUUID(0x2a37))
    let turns = await central.perform { core in
      core.sessions.attribute(Self.path, Self.interface, of: core.sessions.device(Self.device)).subscribing
    }
    _ = await central.perform { core in await turns.take(until: .never, on: core.loop) }
    let waiting = Task { try await peripheral.notifications(for: characteristic) }
    while !turns.hasWaiters { await Task.yield() }
    try await tell("Replace", over: central)
    let second = try await peripheral.notifications(for: characteristic)
    turns.release()
    let first = try await waiting.value
    try await tell("Notify", over: central)
    for values in [first, second] {
      var values = values.makeAsyncIterator()
      let value = try await values.next(within: .seconds(5), during: .receiveNotifications)
      #expect(value.value == [7])
    }
    await central.close()
  }
}
