// SPDX-License-Identifier: MIT

/// The state of the link to one device, as this manager uses it and as a task opens or joins it.
///
/// It only decides what to do next; ``LinkOpener``, ``LinkCloser`` and ``PairingProcedure`` call BlueZ, one task at a time.
struct LinkStateMachine {
  /// The next step of a task that connects.
  enum Step: Equatable {
    /// The link is in use already.
    case use(LinkOrigin)
    /// It is in use, and BlueZ still looks for its services.
    case waitForServices
    /// The device has a link: use it too, unless it is being closed.
    case join
    /// The device has none.
    case open
  }

  /// What a failure has interrupted.
  enum Interruption: Equatable {
    /// Anything but the opening of a link.
    case none
    /// BlueZ was opening a link, or looked for the services of the one that it had opened (`isStanding`); `hasEnded` is
    /// whether a link was seen to end since.
    case opening(isStanding: Bool, hasEnded: Bool)
  }

  private enum Use: Equatable {
    case none
    case held(LinkOrigin)
    /// It was held, and then ended by itself.
    case lost
  }

  /// What a task that connects does.
  private enum Phase: Equatable {
    /// It waits, joins a link, or lets Pair open one.
    case waiting
    /// BlueZ is asked for a link.
    case calling(since: ContinuousClock.Instant)
    /// BlueZ has opened it, and looks for its services.
    case standing(since: ContinuousClock.Instant)
  }

  private struct Attempts {
    var phase = Phase.waiting
    var failures = 0
    var hasRetriedForServices = false
  }

  private var use = Use.none
  /// The attempts of the task that opens or joins the link; nil without one.
  private var attempts: Attempts?
  /// Whether BlueZ has said that it ends the link, for whatever program or reason of its own.
  private var isEndedByBlueZ = false
  /// When the link was last seen to end.
  private var lastEnd: ContinuousClock.Instant?

  /// How long the controller needs for the end of a link after BlueZ has reported it.
  static let closingTime = Duration.milliseconds(300)

  // MARK: The use of the link

  /// Whether the manager uses the link: it opened or joined it, and has neither closed nor lost it.
  var isHeld: Bool { if case .held = use { true } else { false } }

  /// Whether the link that the manager used has ended by itself.
  var isLost: Bool { use == .lost }

  /// Whether BlueZ has ended the link that the manager used; false before BlueZ 5.83, which does not report that.
  var isLostByBlueZ: Bool { isLost && isEndedByBlueZ }

  /// The manager uses the link from now on.
  mutating func hold(_ origin: LinkOrigin) {
    use = .held(origin)
    isEndedByBlueZ = false
  }

  /// The manager stops using the link.
  mutating func release() { use = .none }

  /// BlueZ has reported why the link ends, which it does before the end itself.
  mutating func endReported(byBlueZ isLocal: Bool) { isEndedByBlueZ = isLocal }

  /// The link has ended, and not because of this manager.
  ///
  /// - Parameter instant: when it ended; nil when the device is gone with it.
  /// - Returns: whether to leave the users of the link; a task that waits for the next link stays among them.
  mutating func ended(at instant: ContinuousClock.Instant?) -> Bool {
    lastEnd = instant
    guard isHeld else { return false }
    use = .lost
    return true
  }

  /// How long the controller may still need for the end of the last link.
  func rest(at now: ContinuousClock.Instant) -> Duration? {
    guard let lastEnd, now - lastEnd < LinkStateMachine.closingTime else { return nil }
    return LinkStateMachine.closingTime
  }

  // MARK: Connecting

  /// Whether a task is opening or joining the link.
  var isConnecting: Bool { attempts != nil }

  /// Whether BlueZ is asked for a link at this moment.
  var isCallingConnect: Bool { if case .calling = attempts?.phase { true } else { false } }

  /// A task begins to connect.
  mutating func beginConnecting() { attempts = Attempts() }

  /// It has finished, or given up.
  mutating func endConnecting() { attempts = nil }

  func nextStep(isConnected: Bool, areServicesKnown: Bool) -> Step {
    guard isConnected else { return .open }
    guard case .held(let origin) = use else { return .join }
    return areServicesKnown ? .use(origin) : .waitForServices
  }

  /// BlueZ is being asked for a link.
  mutating func connectCalled(at now: ContinuousClock.Instant) { attempts?.phase = .calling(since: now) }

  /// BlueZ has opened the link, and looks for its services.
  mutating func connected() {
    if case .calling(let since) = attempts?.phase { attempts?.phase = .standing(since: since) }
    hold(.opened)
  }

  /// The services of the link that was opened have come, or their discovery has failed.
  ///
  /// - Returns: whether to use the link; else it is closed, once, and another one opened.
  mutating func opened(hasServices: Bool) -> Bool {
    guard let before = attempts else { return true }
    attempts?.phase = .waiting
    attempts?.hasRetriedForServices = before.hasRetriedForServices || !hasServices
    return hasServices || before.hasRetriedForServices
  }

  /// An attempt has failed.
  ///
  /// - Returns: what that has interrupted.
  mutating func failed() -> Interruption {
    defer { attempts?.phase = .waiting }
    switch attempts?.phase {
    case .calling(let since): return .opening(isStanding: false, hasEnded: hasEnded(since: since))
    case .standing(let since): return .opening(isStanding: true, hasEnded: hasEnded(since: since))
    case .waiting, nil: return .none
    }
  }

  private func hasEnded(since start: ContinuousClock.Instant) -> Bool { lastEnd.map { $0 >= start } ?? false }

  /// The pause before the next attempt: 0.25 s, doubled each time, up to 1 s.
  mutating func nextDelay() -> Duration {
    let failures = attempts?.failures ?? 0
    attempts?.failures = failures + 1
    return min(.milliseconds(250 * (1 << min(failures, 4))), .seconds(1))
  }
}
