// SPDX-License-Identifier: MIT

/// The state of the link to one device, for this manager and for the task that opens or joins it.
///
/// Only decides: ``LinkOpener``, ``LinkCloser`` and ``PairingProcedure`` call BlueZ, one task at a time.
struct LinkStateMachine {
  /// The next step of a task that connects.
  enum Step: Equatable {
    case use(LinkOrigin)
    /// The link is in use, and BlueZ is still discovering its services.
    case waitForServices
    /// The device has a link: join it, unless it is being closed.
    case join
    /// The device has no link.
    case open
  }

  /// The step that a failure interrupted.
  enum Interruption: Equatable {
    /// Anything but opening a link.
    case none
    /// BlueZ was opening a link, or discovering its services (`isStanding`); `hasEnded`: a link ended since.
    case opening(isStanding: Bool, hasEnded: Bool)
  }

  private enum Use: Equatable {
    case none
    case held(LinkOrigin)
    /// The link was held, and then ended by itself.
    case lost
  }

  private enum Phase: Equatable {
    /// The task waits, joins a link, or lets Pair open one.
    case waiting
    /// BlueZ has been asked for a link.
    case calling(since: ContinuousClock.Instant)
    /// BlueZ opened the link, and is discovering its services.
    case standing(since: ContinuousClock.Instant)
  }

  private struct Attempts {
    var phase = Phase.waiting
    var failures = 0
    var hasRetriedForServices = false
  }

  private var use = Use.none
  /// The origin of the last link.
  private var origin = LinkOrigin.joined
  private var attempts: Attempts?
  /// True if BlueZ reported that it ends the link, for any program or by itself.
  private var isEndedByBlueZ = false
  private var lastEnd: ContinuousClock.Instant?
  /// The state of closing the link, for as long as neither the manager uses it nor it has ended.
  var closing = LinkClosing()

  /// The time that the controller needs to end a link after BlueZ reported its end.
  static let closingTime = Duration.milliseconds(300)

  // MARK: The use of the link

  /// True if the manager opened or joined the link, and has neither closed nor lost it.
  var isHeld: Bool { if case .held = use { true } else { false } }

  /// True if the manager opened the link that it holds, or has lost.
  var isOurs: Bool { use != .none && origin == .opened }

  var isLost: Bool { use == .lost }

  /// True if BlueZ ended the link that the manager used; false before BlueZ 5.83, which does not report that.
  var isLostByBlueZ: Bool { isLost && isEndedByBlueZ }

  mutating func hold(_ origin: LinkOrigin) {
    closing.end()
    use = .held(origin)
    self.origin = origin
    isEndedByBlueZ = false
  }

  mutating func release() { use = .none }

  /// Records BlueZ's reason for the end of the link, which it reports before the end itself.
  mutating func endReported(byBlueZ isLocal: Bool) { isEndedByBlueZ = isLocal }

  /// Records that the link ended by itself, and returns whether to leave the users of the link.
  ///
  /// A task that waits for the next link remains a user. The instant is nil if the device disappeared with
  /// it.
  mutating func ended(at instant: ContinuousClock.Instant?) -> Bool {
    lastEnd = instant
    closing.end()
    guard isHeld else { return false }
    use = .lost
    return true
  }

  /// Returns the time that the controller may still need to end the last link.
  func rest(at now: ContinuousClock.Instant) -> Duration? {
    guard let lastEnd, now - lastEnd < LinkStateMachine.closingTime else { return nil }
    return LinkStateMachine.closingTime
  }

  // MARK: Connecting

  var isConnecting: Bool { attempts != nil }

  /// True if BlueZ opened the link of the current attempt, and is discovering its services.
  var isStanding: Bool { if case .standing = attempts?.phase { true } else { false } }

  var isCallingConnect: Bool { if case .calling = attempts?.phase { true } else { false } }

  mutating func beginConnecting() { attempts = Attempts() }

  mutating func endConnecting() { attempts = nil }

  func nextStep(isConnected: Bool, areServicesKnown: Bool) -> Step {
    guard isConnected else { return .open }
    guard case .held(let origin) = use else { return .join }
    return areServicesKnown ? .use(origin) : .waitForServices
  }

  mutating func connectCalled(at now: ContinuousClock.Instant) { attempts?.phase = .calling(since: now) }

  /// Records that BlueZ opened the link and is discovering its services.
  mutating func connected() {
    if case .calling(let since) = attempts?.phase { attempts?.phase = .standing(since: since) }
    hold(.opened)
  }

  /// Records that the services arrived or that their discovery failed, and returns whether to use the link.
  ///
  /// Otherwise it is closed, once, and another one opened.
  mutating func opened(hasServices: Bool) -> Bool {
    guard let before = attempts else { return true }
    attempts?.phase = .waiting
    attempts?.hasRetriedForServices = before.hasRetriedForServices || !hasServices
    return hasServices || before.hasRetriedForServices
  }

  /// Records the failure of an attempt, and returns the interrupted step.
  mutating func failed() -> Interruption {
    defer { attempts?.phase = .waiting }
    switch attempts?.phase {
    case .calling(let since): return .opening(isStanding: false, hasEnded: hasEnded(since: since))
    case .standing(let since): return .opening(isStanding: true, hasEnded: hasEnded(since: since))
    case .waiting, nil: return .none
    }
  }

  private func hasEnded(since start: ContinuousClock.Instant) -> Bool { lastEnd.map { $0 >= start } ?? false }

  /// Returns the pause before the next attempt: 0.25 s, doubled each time, up to 1 s.
  mutating func nextDelay() -> Duration {
    let failures = attempts?.failures ?? 0
    attempts?.failures = failures + 1
    return min(.milliseconds(250 * (1 << min(failures, 4))), .seconds(1))
  }
}
