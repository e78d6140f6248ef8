// SPDX-License-Identifier: MIT
import AsyncIO
import TestSupport
import Testing

@testable import DBus

/// More calls than a connection may have in flight.
@Suite("Connection calls", .timeLimit(.minutes(1)))
struct ConnectionCallTests {
  private func ask(_ member: String) -> Message {
    Message(call: member, of: "a.b", at: "/", to: BusDriver.name)
  }

  /// A connection with as many calls in flight as it may have, to a bus that answers only when it is asked to go on.
  private func fullConnection(_ went: Watched<Int>) async throws -> (ScriptedBus, Connection) {
    let bus = try ScriptedBus.start { bus in
      guard bus.welcome() else { return }
      var waiting: [Message] = []
      while let call = bus.next() {
        waiting.append(call)
        if call.member == "Flush" {
          for call in waiting { bus.send(Message(replyTo: call), from: BusDriver.name) }
          waiting = []
        }
      }
    }
    let connection = try await Connection.open(BusAddress(bus.address), timeout: .seconds(20))
    for _ in 0..<Connection.callLimit {
      await connection.begin(ask("Wait"), timeout: nil) { _ in went.change { $0 += 1 } }
    }
    return (bus, connection)
  }

  @Test("A call that waits for others to end has its time limit, and ends with its task")
  func limits() async throws {
    let went = Watched(0)
    let (_, connection) = try await fullConnection(went)
    let observed = Lock<[DBusError.Origin]>([])
    let late = await #expect(throws: DBusError.self) {
      try await connection.call(ask("Late"), timeout: .zero) { outcome in
        if case .failure(let error) = outcome { observed.withLock { $0.append(error.origin) } }
      }
    }
    #expect(late?.origin == .timedOut)
    #expect(observed.withLock { $0 } == [.timedOut])
    let waiting = Task { [self] in try await connection.call(ask("Cancelled"), timeout: nil) }
    waiting.cancel()
    let cancelled = await #expect(throws: DBusError.self) { try await waiting.value }
    #expect(cancelled?.origin == .cancelled)
    await connection.close()
  }

  @Test(
    "Calls that wait for others go out as those end, and fail when the connection closes",
    arguments: [true, false])
  func ends(isAnswered: Bool) async throws {
    let went = Watched(0)
    let (_, connection) = try await fullConnection(went)
    let calls = (0..<3).map { _ in
      Task(executorPreference: connection.loop) { [self] in
        try await connection.call(ask(isAnswered ? "Flush" : "Wait"), timeout: nil)
      }
    }
    if isAnswered {
      // The limit is one of calls that wait for their turn: this one does not.
      await connection.begin(ask("Flush"), timeout: nil) { _ in }
      for call in calls { _ = try await call.value }
    } else {
      await connection.close()
      for call in calls {
        let error = await #expect(throws: DBusError.self) { try await call.value }
        #expect(error?.origin == .disconnected)
      }
    }
    #expect(went.withLock { $0 } == Connection.callLimit)
    await connection.close()
  }
}
