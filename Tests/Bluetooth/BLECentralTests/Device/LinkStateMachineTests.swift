// SPDX-License-Identifier: MIT
internal import Testing

@testable internal import BLECentral

@Suite("LinkStateMachine")
struct LinkStateMachineTests {
  private let start = ContinuousClock.now

  private func connecting() -> LinkStateMachine {
    var link = LinkStateMachine()
    link.beginConnecting()
    return link
  }

  /// A link that Connect has opened, and whose services BlueZ looks for.
  private func standing() -> LinkStateMachine {
    var link = connecting()
    link.connectCalled(at: start)
    link.connected()
    return link
  }

  /// A mutating call, which an expectation cannot hold itself.
  private func with<Result>(
    _ link: inout LinkStateMachine, _ call: (inout LinkStateMachine) -> Result
  ) -> Result {
    call(&link)
  }

  @Test("A device without a link gets one, and a link of another program is joined")
  func steps() {
    var link = connecting()
    #expect(link.nextStep(isConnected: false, areServicesKnown: false) == .open)
    #expect(link.nextStep(isConnected: true, areServicesKnown: false) == .join)
    #expect(link.nextStep(isConnected: true, areServicesKnown: true) == .join)
    link.hold(.joined)
    #expect(link.nextStep(isConnected: true, areServicesKnown: false) == .waitForServices)
    #expect(link.nextStep(isConnected: true, areServicesKnown: true) == .use(.joined))
  }

  @Test("A link that was given up, or lost, is not used again, but joined or opened")
  func stepsAfterTheEnd() {
    var (released, lost) = (standing(), standing())
    released.release()
    _ = with(&lost) { $0.ended(at: start) }
    for link in [released, lost] {
      #expect(link.nextStep(isConnected: true, areServicesKnown: true) == .join)
      #expect(link.nextStep(isConnected: false, areServicesKnown: false) == .open)
    }
  }

  @Test("A link is held from its opening until it is released")
  func held() {
    var link = standing()
    #expect(link.isHeld && !link.isLost)
    link.release()
    #expect(!link.isHeld && !link.isLost)
  }

  @Test("Only the end of a link that is held is a loss, and the lock is left once")
  func lost() {
    var link = connecting()
    #expect(!with(&link) { $0.ended(at: start) })
    #expect(!link.isLost)
    link.hold(.opened)
    #expect(with(&link) { $0.ended(at: start) })
    #expect(link.isLost && !link.isHeld)
    #expect(!with(&link) { $0.ended(at: start) })
    #expect(link.isLost)
    link.release()
    #expect(!link.isLost)
  }

  @Test("BlueZ may report that it ends a link itself; the report holds for that link alone")
  func endedByBlueZ() {
    var link = standing()
    link.endReported(byBlueZ: true)
    #expect(!link.isLostByBlueZ)
    _ = with(&link) { $0.ended(at: start) }
    #expect(link.isLostByBlueZ)
    link.hold(.opened)
    _ = with(&link) { $0.ended(at: start) }
    #expect(link.isLost && !link.isLostByBlueZ)
  }

  @Test("BlueZ is being asked for a link from the call until the link stands, or the attempt has failed")
  func calling() {
    var link = connecting()
    #expect(link.isConnecting && !link.isCallingConnect)
    link.connectCalled(at: start)
    #expect(link.isCallingConnect)
    _ = with(&link) { $0.failed() }
    #expect(link.isConnecting && !link.isCallingConnect)
    link.connectCalled(at: start)
    link.connected()
    #expect(link.isConnecting && !link.isCallingConnect)
    link.endConnecting()
    #expect(!link.isConnecting)
  }

  @Test(
    "A failure shows whether it interrupted the call or the discovery of services, and whether a link ended")
  func interruptions() {
    var link = connecting()
    #expect(with(&link) { $0.failed() } == .none)
    link.connectCalled(at: start)
    #expect(with(&link) { $0.failed() } == .opening(isStanding: false, hasEnded: false))
    link = standing()
    _ = with(&link) { $0.ended(at: start.advanced(by: .milliseconds(1))) }
    link.release()
    #expect(with(&link) { $0.failed() } == .opening(isStanding: true, hasEnded: true))
    #expect(with(&link) { $0.failed() } == .none)
  }

  @Test("The end of a link before the call is not the end of the one that the call opens")
  func earlierEnd() {
    var link = connecting()
    _ = with(&link) { $0.ended(at: start) }
    link.connectCalled(at: start.advanced(by: .milliseconds(1)))
    #expect(with(&link) { $0.failed() } == .opening(isStanding: false, hasEnded: false))
  }

  @Test("Missing services are worth one more connection, not two")
  func missingServices() {
    var link = standing()
    #expect(!with(&link) { $0.opened(hasServices: false) })
    #expect(with(&link) { $0.failed() } == .none)
    link.connectCalled(at: start)
    link.connected()
    #expect(with(&link) { $0.opened(hasServices: false) })
    link.endConnecting()
    link.beginConnecting()
    #expect(!with(&link) { $0.opened(hasServices: false) })
    #expect(with(&link) { $0.opened(hasServices: true) })
  }

  @Test("The pauses between attempts double, up to a second, and begin again with the next connection")
  func delays() {
    var link = connecting()
    let delays = (0..<8).map { _ in link.nextDelay() }
    #expect(
      delays == [.milliseconds(250), .milliseconds(500)] + Array(repeating: .seconds(1), count: 6))
    link.beginConnecting()
    #expect(with(&link) { $0.nextDelay() } == .milliseconds(250))
  }

  @Test("The end of a link, and its next use, end the wish to close it")
  func closing() {
    var link = standing()
    link.release()
    link.closing.begin()
    _ = with(&link) { $0.closing.refused(left: nil) }
    var (ended, used) = (link, link)
    _ = with(&ended) { $0.ended(at: start) }
    used.hold(.joined)
    #expect(link.closing.isWanted && link.closing.isRefused)
    for link in [ended, used] { #expect(!link.closing.isWanted && !link.closing.isRefused) }
  }

  @Test(
    "The controller rests for a moment after the end of a link, but not if the device is gone"
  )
  func rest() {
    var link = LinkStateMachine()
    #expect(link.rest(at: start) == nil)
    _ = with(&link) { $0.ended(at: start) }
    #expect(link.rest(at: start.advanced(by: .milliseconds(299))) == .milliseconds(300))
    #expect(link.rest(at: start.advanced(by: .milliseconds(300))) == nil)
    _ = with(&link) { $0.ended(at: nil) }
    #expect(link.rest(at: start) == nil)
  }
}
