// SPDX-License-Identifier: MIT

/// The state of an adapter's advertisement monitor, which all passive scans share.
///
/// It only decides the next step; ``PassiveScanning`` calls BlueZ, one call at a time.
struct MonitorSession {
  enum Step: Equatable {
    case register
    case unregister
    case nothing
  }

  private enum Phase {
    case absent
    case registering
    case registered
    case unregistering
  }

  var isWanted = false
  private var phase = Phase.absent
  /// True if BlueZ released the monitor by itself, so that its remains must be unregistered.
  private(set) var isReleased = false
  /// Devices that were heard before the model contained them.
  private var awaited: Set<String> = []
  private var last: (path: String, time: ContinuousClock.Instant)?
  let queue = AsyncMutex()

  /// BlueZ may report an advertisement both for the monitor and for a discovery; real ones are 20 ms apart.
  private static let echoTime = Duration.milliseconds(5)

  func nextStep() -> Step {
    if isReleased { return .unregister }
    if isWanted == isRegistered { return .nothing }
    return isWanted ? .register : .unregister
  }

  var isRegistered: Bool { phase == .registered }
  var isExported: Bool { phase != .absent }

  mutating func registering() { phase = .registering }

  mutating func registered() { phase = .registered }

  mutating func unregistering() { phase = .unregistering }

  mutating func unregistered() {
    phase = .absent
    isReleased = false
    awaited = []
    last = nil
  }

  /// Records that BlueZ released the monitor, perhaps before its reply, and returns whether BlueZ did so by
  /// itself.
  mutating func released() -> Bool {
    isReleased = phase == .registering || phase == .registered
    return isReleased
  }

  // MARK: Reports

  /// Records that a device was heard, and returns whether to report it now, or else in ``added(_:)``.
  mutating func found(_ path: String, isKnown: Bool, at time: ContinuousClock.Instant) -> Bool {
    guard isKnown else {
      awaited.insert(path)
      return false
    }
    let isEcho = last.map { $0.path == path && time - $0.time < MonitorSession.echoTime } ?? false
    last = (path, time)
    return !isEcho
  }

  /// Records that the model contains a device, and returns whether it was heard before and must be reported
  /// now.
  mutating func added(_ path: String) -> Bool { awaited.remove(path) != nil }
}
