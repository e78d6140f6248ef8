// SPDX-License-Identifier: MIT
internal import AsyncIO
import DBus
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
