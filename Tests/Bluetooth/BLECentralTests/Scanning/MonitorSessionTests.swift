// SPDX-License-Identifier: MIT
internal import Testing

@testable internal import BLECentral

@Suite("MonitorSession")
struct MonitorSessionTests {
  private func registered() -> MonitorSession {
    var session = MonitorSession()
    session.isWanted = true
    session.registering()
    session.registered()
    return session
  }

  /// A mutating call, which an expectation cannot hold itself.
  private func with(_ session: inout MonitorSession, _ call: (inout MonitorSession) -> Bool) -> Bool {
    call(&session)
  }

  @Test("A monitor is registered while it is wanted")
  func wanted() {
    var session = MonitorSession()
    #expect(session.nextStep() == .nothing)
    session.isWanted = true
    #expect(session.nextStep() == .register)
    session.registering()
    session.registered()
    #expect(session.nextStep() == .nothing)
    #expect(session.isRegistered)
    session.isWanted = false
    #expect(session.nextStep() == .unregister)
    session.unregistering()
    session.unregistered()
    #expect(session.nextStep() == .nothing)
  }

  @Test("A release that we requested is not reported")
  func askedRelease() {
    var session = registered()
    session.isWanted = false
    session.unregistering()
    #expect(with(&session) { $0.released() } == false)
    session.unregistered()
    #expect(with(&session) { $0.released() } == false)
  }

  @Test("A monitor that BlueZ releases is cleaned up, even before its reply")
  func release() {
    var session = registered()
    #expect(with(&session) { $0.released() })
    #expect(session.nextStep() == .unregister)
    session.unregistering()
    session.unregistered()
    #expect(!session.isReleased)
    #expect(session.nextStep() == .register)
    session.registering()
    #expect(with(&session) { $0.released() })
    session.registered()
    #expect(session.nextStep() == .unregister)
  }

  @Test("A device that is not known yet is reported when it is, once")
  func awaited() {
    var session = registered()
    let now = ContinuousClock.now
    #expect(with(&session) { $0.found("/d", isKnown: false, at: now) } == false)
    #expect(with(&session) { $0.added("/e") } == false)
    #expect(with(&session) { $0.added("/d") })
    #expect(with(&session) { $0.added("/d") } == false)
  }

  @Test("One advertisement that BlueZ reports twice is reported once; two are two")
  func echo() {
    var session = registered()
    let now = ContinuousClock.now
    #expect(with(&session) { $0.found("/d", isKnown: true, at: now) })
    #expect(with(&session) { $0.found("/d", isKnown: true, at: now + .milliseconds(1)) } == false)
    #expect(with(&session) { $0.found("/d", isKnown: true, at: now + .milliseconds(21)) })
    #expect(with(&session) { $0.found("/e", isKnown: true, at: now + .milliseconds(22)) })
    #expect(with(&session) { $0.found("/d", isKnown: true, at: now + .milliseconds(23)) })
  }

  @Test("There are no more patterns than bluetoothd survives")
  func patterns() {
    #expect(AdvertisementMonitor.flags.count <= 7)
    #expect(Set(AdvertisementMonitor.flags).isSuperset(of: [0x02, 0x04, 0x05, 0x06, 0x1a]))
  }

  @Test("Each adapter has a monitor of its own")
  func root() {
    #expect(AdvertisementMonitor.root(ofAdapter: "/org/bluez/hci1") == "/blectl/hci1")
  }
}

@Suite("Distances")
struct PathLossTests {
  @Test(
    "The distance is 10 to the power of the loss after the first metre, over ten times the exponent",
    arguments: [
      (-59, -59, 2.0, 1.0), (-79, -59, 2.0, 10.0), (-39, -59, 2.0, 0.1), (-65, -59, 2.0, 1.9953),
      (-89, -59, 3.0, 10.0), (-59, -41, 2.0, 7.9433), (-127, -59, 2.0, 2511.886),
    ])
  func metres(_ rssi: Int, _ atOneMetre: Int, _ exponent: Double, _ expected: Double) {
    let metres = PathLoss(exponent: exponent).metres(rssi: rssi, rssiAtOneMetre: atOneMetre)
    #expect(abs(metres - expected) < expected / 10_000)
  }
}
