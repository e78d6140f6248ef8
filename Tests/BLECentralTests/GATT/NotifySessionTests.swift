// SPDX-License-Identifier: MIT
internal import AsyncIO
import DBus
import Testing

@testable import BLECentral

@Suite("Subscribers of a session")
struct NotifySessionTests {
  @Test("A removal that comes late removes nobody who has subscribed meanwhile")
  func lateRemoval() {
    let session = NotifySession(path: .signal, loop: .shared)
    var kept: [NotifySubscription] = []
    for number in 1...200 {
      // Most likely at the address of the one before, which is gone, but whose removal is still to come.
      let subscription = NotifySubscription(number: number, capacity: 1) {}
      session.add(subscription)
      session.remove(number - 1)
      #expect(!session.isUnused)
      if number == 200 { kept.append(subscription) }
    }
    #expect(!kept.isEmpty)
    session.remove(200)
    #expect(session.isUnused)
  }
}
