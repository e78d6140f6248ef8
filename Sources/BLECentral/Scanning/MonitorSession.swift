// SPDX-License-Identifier: MIT

/// The state of an adapter's advertisement monitor, which all passive scans share.
///
/// It only decides what to do next; ``PassiveScanning`` calls BlueZ, one call at a time.
struct MonitorSession {
  /// The next call.
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

  /// Whether a scan wants the monitor.
  var isWanted = false
  private var phase = Phase.absent
  /// Whether BlueZ has released the monitor by itself, so that the rest of it has to be unregistered.
  private(set) var isReleased = false
  /// Devices that were heard before the model had them.
  private var awaited: Set<String> = []
  /// The previous report.
  private var last: (path: String, time: ContinuousClock.Instant)?
  /// Lets one task at a time follow the steps.
  let queue = AsyncMutex()

  /// Two reports of a device within less time than advertisements need, 20 ms, are of the same one: BlueZ may report it
  /// once for the monitor and once for a discovery.
  private static let echoTime = Duration.milliseconds(5)

  func nextStep() -> Step {
    if isReleased { return .unregister }
    if isWanted == isRegistered { return .nothing }
    return isWanted ? .register : .unregister
  }

  /// Whether BlueZ has the monitor.
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

  /// BlueZ has released the monitor, perhaps before it has answered the registration.
  ///
  /// - Returns: whether it did so by itself, and not because the monitor was unregistered.
  mutating func released() -> Bool {
    isReleased = phase == .registering || phase == .registered
    return isReleased
  }

  // MARK: Reports

  /// A device was heard.
  ///
  /// - Parameters:
  ///   - path: the device.
  ///   - isKnown: whether the model has it; if not, it is remembered until ``added(_:)``.
  ///   - time: when it was.
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

  /// The model has a device now.
  ///
  /// - Returns: whether it was heard before, so that it has to be reported now.
  mutating func added(_ path: String) -> Bool { awaited.remove(path) != nil }
}
