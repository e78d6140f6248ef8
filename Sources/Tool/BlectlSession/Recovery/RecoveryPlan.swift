// SPDX-License-Identifier: MIT

/// Decides what to do about an adapter that has stopped working; calls nothing.
package struct RecoveryPlan: Sendable {
  /// A step that can help.
  ///
  /// The cases begin with the gentlest.
  package enum Step: String, Sendable, CaseIterable {
    case restartDiscovery = "restart_discovery"
    case powerCycle = "power_cycle"
    case resetUSB = "reset_usb"
  }

  /// A symptom that was observed.
  package enum Symptom: Sendable, Hashable {
    /// Nothing is heard, although devices were.
    case silent(Duration)
    /// The device is heard, and no attempt to connect to it succeeds.
    case connectsIgnored
  }

  /// The time from the first step of a round to that of the next one.
  package static let pause = Duration.seconds(600)

  private var roundBegan: ContinuousClock.Instant?
  /// The steps of the round that are left.
  private var left: ArraySlice<Step> = []
  /// The last step of the round, until the adapter works again.
  private(set) var last: Step?

  package init() {}

  /// The next step against a symptom; nil if the round has none left, and it is too early for another round.
  package mutating func next(
    against symptom: Symptom, at now: ContinuousClock.Instant
  ) -> Step? {
    if last == nil || left.isEmpty {
      if let roundBegan, now - roundBegan < Self.pause { return nil }
      roundBegan = now
      // What is heard needs no other discovery.
      left = symptom == .connectsIgnored ? Step.allCases.dropFirst() : Step.allCases[...]
    }
    last = left.popFirst()
    return last
  }

  /// Records that the adapter works, and returns the step that has helped, once.
  package mutating func works() -> Step? {
    defer { last = nil }
    return last
  }
}
