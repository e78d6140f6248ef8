// SPDX-License-Identifier: MIT
internal import DBus

/// Our one advertisement monitor of an adapter: shared by all passive scans.
///
/// It only decides; the manager does the calls, one at a time.
struct MonitorSession {
  /// What has to be done next.
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
  /// Whether BlueZ has let go of it of its own accord: what is left of it has to be taken back.
  private(set) var isReleased = false
  /// Devices that were found before they were known.
  private var awaited: Set<String> = []
  /// The report before.
  private var last: (path: String, time: ContinuousClock.Instant)?
  /// Lets one task at a time follow the steps.
  let queue = SerialQueue()

  /// Two reports of one device that come closer together than advertisements can, 20 ms, are the same one: BlueZ may
  /// tell of it once for the monitor and once for a discovery.
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

  /// Takes in that BlueZ has let go of the monitor: also before it has answered that it took it.
  ///
  /// - Returns: whether it did so of its own accord: it also says so when the monitor is taken back.
  mutating func released() -> Bool {
    isReleased = phase == .registering || phase == .registered
    return isReleased
  }

  // MARK: Reports

  /// Takes in that a device was heard.
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

  /// Takes in that the model has a device now.
  ///
  /// - Returns: whether it was heard before, so that it has to be reported now.
  mutating func added(_ path: String) -> Bool { awaited.remove(path) != nil }
}
