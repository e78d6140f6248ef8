// SPDX-License-Identifier: MIT
import DBus
import TestSupport
import Testing

@testable import BLECentral

/// An `org.bluez` that does not answer as BlueZ does.
@Suite("An odd service")
struct OddServiceTests {
  /// Answers the next GetManagedObjects.
  private static func answer(_ bus: ScriptedBus, _ body: (inout MessageWriter) -> Void) {
    while let call = bus.next() {
      if call.member == "GetManagedObjects" {
        return bus.send(Message(replyTo: call, body), from: FakeBlueZ.name)
      }
    }
  }

  private static func ownerChanged(_ old: String, _ new: String) -> Message {
    Message(signal: "NameOwnerChanged", of: BusDriver.interface, at: BusDriver.path) { writer in
      for text in ["org.bluez", old, new] { writer.string(text) }
    }
  }

  @Test(
    "Nothing of it is believed, and it is asked again when it ends and comes back", .timeLimit(.minutes(1)))
  func askedAgain() async throws {
    let bus = try ScriptedBus.start { bus in
      guard bus.welcome() else { return }
      Self.answer(bus) { $0.string("no") }
      bus.send(
        FakeBlueZ.changed(FakeBlueZ.adapterPath, of: "org.bluez.Adapter1", [("Powered", .boolean(true))]),
        from: FakeBlueZ.name)
      bus.send(Self.ownerChanged(FakeBlueZ.name, ""), from: BusDriver.name)
      bus.send(Self.ownerChanged("", FakeBlueZ.name), from: BusDriver.name)
      Self.answer(bus) { $0.array(of: "{oa{sa{sv}}}") { _ in } }
      while bus.next() != nil {}
    }
    let central = try await CentralManager(bus: .address(bus.address))
    for await state in await central.stateUpdates() where state == .unsupported { break }
    #expect(await central.adapters.isEmpty)
  }
}
