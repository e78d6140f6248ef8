// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import DBus

/// Answers of a bus to Hello.
@Suite("BusHandshake")
struct BusHandshakeTests {
  /// The result of opening a connection to a bus that answers Hello with a script.
  private func open(_ answer: @escaping @Sendable (ScriptedBus, Message) -> Void) async throws -> Connection {
    let bus = try ScriptedBus.start { bus in
      guard bus.acceptClient(), let hello = bus.next() else { return }
      answer(bus, hello)
      // A client that is let in may call.
      while let call = bus.next() {
        bus.send(Message(replyTo: call) { $0.string("yes") }, from: BusDriver.name)
      }
    }
    return try await Connection.open(BusAddress(bus.address), timeout: .seconds(20))
  }

  @Test("The bus may report our name before or after it answers Hello", arguments: [false, true])
  func order(tellsFirst: Bool) async throws {
    let connection = try await open { bus, hello in
      if tellsFirst { bus.send(ScriptedBus.nameAcquired(), from: BusDriver.name) }
      bus.send(Message(replyTo: hello) { $0.string(ScriptedBus.clientName) }, from: BusDriver.name)
      if !tellsFirst { bus.send(ScriptedBus.nameAcquired(), from: BusDriver.name) }
    }
    #expect(await connection.uniqueName == ScriptedBus.clientName)
    let reply = try await connection.call(
      Message(call: "Ask", of: "a.b", at: "/", to: BusDriver.name), timeout: .seconds(20))
    #expect(reply.values == [.string("yes")])
    await connection.close()
  }

  @Test("A bus that takes its time to answer is awaited, even if idle time is skipped")
  func slow() async throws {
    VirtualTime.begin()
    let connection = try await open { bus, hello in
      var hasher = Hasher()
      for number in 0..<300_000 { hasher.combine(number) }
      let name = hasher.finalize() == 0 ? "" : ScriptedBus.clientName
      bus.send(Message(replyTo: hello) { $0.string(name) }, from: BusDriver.name)
      bus.send(ScriptedBus.nameAcquired(), from: BusDriver.name)
    }
    #expect(await connection.uniqueName == ScriptedBus.clientName)
    await connection.close()
  }

  @Test(
    "An answer without a name is an error", arguments: [DBusValue.uint32(7), .string(""), .strings([":1.7"])])
  func nameless(answer: DBusValue) async throws {
    let error = await #expect(throws: DBusError.self) {
      try await open { bus, hello in
        bus.send(ScriptedBus.nameAcquired(), from: BusDriver.name)
        bus.send(Message(replyTo: hello) { $0.value(answer) }, from: BusDriver.name)
      }
    }
    #expect(error?.message == "the bus gave us no name")
  }

  @Test("A refusal is reported in the words of the bus")
  func refused() async throws {
    let error = await #expect(throws: DBusError.self) {
      try await open { bus, hello in
        bus.send(
          Message(errorTo: hello, name: ErrorName.limitsExceeded, text: "too many"), from: BusDriver.name)
      }
    }
    #expect(error?.name == ErrorName.limitsExceeded && error?.message == "too many")
  }

  @Test("A program that ends at once, instead of leading to a bus, is a lost bus")
  func programEnds() async throws {
    let error = await #expect(throws: DBusError.self) {
      try await VirtualTime.hold {
        try await Connection.open(BusAddress(running: ["true", "a=b:c,d"]), timeout: .seconds(120))
      }
    }
    #expect(error?.origin == .disconnected)
  }

  @Test(
    "A bus that hangs up, or speaks no D-Bus, is lost", arguments: [[], Array("HTTP/1.1 400\r\n\r\n".utf8)])
  func hangsUp(bytes: [UInt8]) async throws {
    let error = await #expect(throws: DBusError.self) {
      try await open { bus, _ in
        bus.send(bytes)
        bus.hangUp()
      }
    }
    #expect(error?.origin == .disconnected)
  }
}
