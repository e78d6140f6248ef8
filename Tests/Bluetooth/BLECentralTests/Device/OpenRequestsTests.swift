// SPDX-License-Identifier: MIT
internal import Testing

@testable internal import BLECentral

@Suite("OpenRequests")
struct OpenRequestsTests {
  @Test(
    "A request that stays unanswered after a refused question stalls the link, and holds back those behind it"
  )
  func stalled() {
    var requests = OpenRequests()
    let first = requests.begin()
    let second = requests.begin()
    #expect(requests.suspect == nil)
    requests.refuse(.passkey)
    #expect(requests.suspect == first)
    let isStalled = requests.graceEnded(of: first)
    #expect(isStalled && requests.isStalled)
    let third = requests.begin()
    let fates = [first, second, third].map { requests.end($0, .unanswered) }
    #expect(fates == [.refused(.passkey), .heldBack, .unknown])
  }

  @Test("An answer after the question shows that the link carries requests: the device asked by itself")
  func answered() {
    var requests = OpenRequests()
    let first = requests.begin()
    requests.refuse(.consent)
    let fate = requests.end(first, .answered)
    #expect(fate == .unknown)
    let isStalled = requests.graceEnded(of: first)
    #expect(!isStalled)
    _ = requests.begin()
    #expect(requests.suspect == nil)
    #expect(requests.hasAnswers)
    requests.linkReplaced()
    #expect(!requests.hasAnswers)
  }

  @Test("A question that BlueZ asked for a request of its own makes the next request the suspect")
  func before() {
    var requests = OpenRequests()
    requests.refuse(.consent)
    #expect(requests.suspect == nil)
    let first = requests.begin()
    #expect(requests.suspect == first)
  }

  @Test("A suspect that ends without an answer, as with the link, requires pairing")
  func endedEarly() {
    var requests = OpenRequests()
    let first = requests.begin()
    let second = requests.begin()
    requests.refuse(.consent)
    let other = requests.end(second, .unanswered)
    #expect(other == .unknown)
    let fate = requests.end(first, .unanswered)
    #expect(fate == .refused(.consent))
    #expect(requests.isStalled)
  }

  @Test("A request that BlueZ refuses to send is neither answered nor the cause")
  func notSent() {
    var requests = OpenRequests()
    let first = requests.begin()
    requests.refuse(.consent)
    let fate = requests.end(first, .notSent)
    #expect(fate == .unknown)
    #expect(!requests.isStalled)
  }

  @Test("Another link has neither the question nor the stall of the last one")
  func replaced() {
    var requests = OpenRequests()
    let first = requests.begin()
    requests.refuse(.consent)
    _ = requests.graceEnded(of: first)
    requests.linkReplaced()
    #expect(!requests.isStalled)
    _ = requests.begin()
    #expect(requests.suspect == nil)
  }
}
