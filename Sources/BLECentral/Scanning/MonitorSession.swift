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
  /// Whether BlueZ released the monitor by itself, so that its remains must be unregistered.
  private(set) var isReleased = false
  /// Devices that were heard before the model contained them.
  private var awaited: Set<String> = []
  private var last: (path: String, time: ContinuousClock.Instant)?
  /// Serializes the tasks that follow the steps.
  let queue = AsyncMutex()

  /// Two reports of a device within less than 20 ms, the shortest advertising interval, are the same
  /// advertisement: BlueZ may report it once for the monitor and once for a discovery.
  private static let echoTime = Duration.milliseconds(5)

  func nextStep() -> Step {
    if isReleased { return .unregister }
    if isWanted == isRegistered { return .nothing }
    return isWanted ? .register : .unregister
  }

  var isRegistered: Bool { phase == .registered }
  /// Whether the monitor is an object on the bus.
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

  /// Notes that BlueZ released the monitor, perhaps before it answered the registration.
  ///
  /// - Returns: whether it did so by itself, and not because the monitor was unregistered.
  mutating func released() -> Bool {
    isReleased = phase == .registering || phase == .registered
    return isReleased
  }

  // MARK: Reports

  /// Notes that a device was heard.
  ///
  /// - Parameters:
  ///   - path: the device.
  ///   - isKnown: whether the model contains it; if not, it is remembered until ``added(_:)``.
  ///   - time: when it was heard.
  /// - Returns: whether to report it now.
  mutating func found(_ path: String, isKnown: Bool, at time: ContinuousClock.Instant) -> Bool {
    guard isKnown else {
      awaited.insert(path)
      return false
    }
    let isEcho = last.map { $0.path == path && time - $0.time < MonitorSession.echoTime } ?? false
    last = (path, time)
    return !isEcho
  }

  /// Notes that the model contains a device; returns whether it was heard before, and must be reported now.
  mutating func added(_ path: String) -> Bool { awaited.remove(path) != nil }
}
