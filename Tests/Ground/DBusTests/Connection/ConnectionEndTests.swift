// SPDX-License-Identifier: MIT
import AsyncIO
import Dispatch
import TestSupport
import Testing

@testable import DBus

/// The end of a bus at the same time as other things.
@Suite("Connection end", .timeLimit(.minutes(1)))
struct ConnectionEndTests {
  private func ask(_ member: String) -> Message {
    Message(call: member, of: "a.b", at: "/", to: BusDriver.name)
  }

  @Test(
    "What the bus sent before its end arrives although a call is sent first, and that call fails",
    arguments: [false, true])
  func sendsFirst(gathersMessages: Bool) async throws {
    let hungUp = DispatchSemaphore(value: 0)
    let bus = try ScriptedBus.start { bus in
      guard bus.welcome(), let call = bus.next() else { return }
      bus.send(Message(signal: "News", of: "a.b", at: "/"), from: BusDriver.name)
      bus.send(Message(replyTo: call) { $0.string("yes") }, from: BusDriver.name)
      bus.hangUp()
      hungUp.signal()
    }
    let connection = try await Connection.open(
      BusAddress(bus.address), timeout: .seconds(20), gathersMessages: gathersMessages)
    let log = Watched<[String]>([])
    let note = { @Sendable (entry: String) in log.change { $0.append(entry) } }
    connection.loop.submit { [self] in
      connection.assumeIsolated { connection in
        connection.onLoss { note("lost") }
        _ = connection.router.add(MatchRule(sender: BusDriver.name, interface: "a.b")) {
          note($0.member ?? "")
        }
        connection.begin(ask("First"), timeout: nil) { outcome in
          note((try? outcome.get().values) == [.string("yes")] ? "answer" : "no answer")
        }
        connection.flush()
        // Nothing is read on this thread until the bus has ended.
        hungUp.wait()
        connection.begin(ask("Second"), timeout: nil) { outcome in
          if case .failure(.disconnected) = outcome { note("second call failed") }
        }
      }
    }
    await log.wait { $0.contains("lost") }
    #expect(log.withLock { $0 } == ["News", "answer", "second call failed", "lost"])
    await connection.close()
  }
}
