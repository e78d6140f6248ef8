// SPDX-License-Identifier: MIT
import BLECentral
import BlectlArguments
import BlectlSession
import Testing
import ValueStreams

@testable import BlectlScripting

@Suite("Checking a script against a record")
struct RecordedDeviceTests {
  private static func event(
    _ kind: DeviceRecords.Kind, _ uuid: BluetoothUUID, _ bytes: [UInt8], from offset: Int = 0
  ) -> DeviceRecords.Event {
    DeviceRecords.Event(
      kind: kind, time: "", uuid: uuid, service: BluetoothUUID(0x180f), handle: 1, bytes: bytes,
      descriptor: nil, offset: offset)
  }

  /// Written 01 to 2a39; 2a37 sent 02 and 03; read 57 from 2a19, and 68 from 2a29, behind four bytes.
  private static let events = [
    event(.written, BluetoothUUID(0x2a39), [1]), event(.notified, BluetoothUUID(0x2a37), [2]),
    event(.notified, BluetoothUUID(0x2a37), [3]),
    event(.read, BluetoothUUID(0x2a19), [0x57]), event(.read, BluetoothUUID(0x2a29), [0x68], from: 4),
  ]

  /// The error of a script; nil if the record agrees with it.
  private func failure(
    _ script: String, _ events: [DeviceRecords.Event] = Self.events
  ) async throws -> String? {
    let loaded = try LoadedScript(
      Array(script.utf8), named: "a.ble", FakeGrammar(), overriding: [:], GlobalOptions())
    let interpreter = ScriptInterpreter(
      loaded, options: GlobalOptions(), address: "F0:F1:F2:F3:F4:F5",
      device: RecordedDevice(events, of: ProfileSubject()))
    do {
      try await interpreter.run()
      return nil
    } catch let error as CommandError {
      return error.message
    }
  }

  @Test(
    "The record agrees with steps in its order; a notification may be older than the step that expects it",
    arguments: [
      "write 2a39 01\nexpect 2a37 02\nexpect 2a37 03\nread 2a19\n", "read 2a19\nexpect 2a37 03\n",
      "subscribe 2a37\n", "read 2a19\nread 2a29 4\n",
    ])
  func agrees(_ script: String) async throws {
    #expect(try await failure(script) == nil)
  }

  @Test(
    "The record contradicts other values, and values that are used up or out of order",
    arguments: [
      ("write 2a39 02\n", "a.ble:1: cannot write 02 to 2a39: the record has 01 there"),
      (
        "read 2a19\nwrite 2a39 01\n",
        "a.ble:2: cannot write 2a39: the record has no more values that were written to it"
      ),
      (
        "read 2a19\nread 2a19\n",
        "a.ble:2: cannot read 2a19: the record has no more values that were read from it"
      ),
      (
        "read 2a29\n", "a.ble:1: cannot read 2a29: the record has no more values that were read from it"
      ),
      (
        "read 2a19 4\n", "a.ble:1: cannot read 2a19: the record has no more values that were read from it"
      ),
      (
        "expect 2a37 04\n",
        "a.ble:1: cannot get 04 from 2a37: the record has no such value; the last other value is 03"
      ),
    ])
  func contradicts(_ script: String, _ message: String) async throws {
    #expect(try await failure(script) == message)
  }

  @Test(
    "The first eight digits name a UUID of 128 bits, as they do for a device",
    arguments: ["b1ec0005", "ac3e0005-5a"])
  func beginning(_ text: String) async throws {
    let uuid = try #require(BluetoothUUID("\(text.prefix(8))-5a5a-4d2c-a1d2-5a5a5a5a5a5a"))
    let events = [Self.event(.written, uuid, [7, 0])]
    #expect(try await failure("write \(text) u16:7\n", events) == nil)
  }
}
