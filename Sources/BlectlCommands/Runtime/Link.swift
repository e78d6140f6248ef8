// SPDX-License-Identifier: MIT
internal import BLECentral

/// A connection that a command works over.
///
/// A link that was there already may be one that is still going down: BlueZ takes 2 s after the command before has asked
/// for its end, and does not tell. When such a link is lost within seconds, a new one is opened and the step repeated.
///
/// Used by tasks on the loop only, one at a time.
final class Link: @unchecked Sendable {
  private(set) var central: CentralManager
  private(set) var info: PeripheralInfo
  private(set) var origin: LinkOrigin
  private let target: TargetOptions
  private let session: Session
  private let joined = ContinuousClock.now

  /// How long after joining a loss still means that the link was going down: BlueZ's 2 s and what the radio takes.
  private static let closingTime = Duration.seconds(4)
  /// How often BlueZ forgets a device that was just heard until it is taken for one that accepts no connections: a
  /// connectable one may be unlucky once or twice.
  private static let lossesOfBeacon = 3

  var peripheral: Peripheral { info.peripheral }

  /// Finds the device and connects to it, within `--timeout`.
  static func open(_ target: TargetOptions, in session: Session) async throws -> Link {
    try await open(target, in: session, within: session.timeout)
  }

  /// Finds the device and connects to it.
  static func open(_ target: TargetOptions, in session: Session, within limit: Duration?) async throws -> Link
  {
    let central = try await session.central()
    let (info, origin) = try await connect(target, central, session, within: limit)
    return Link(target, central, info, origin, session)
  }

  private init(
    _ target: TargetOptions, _ central: CentralManager, _ info: PeripheralInfo, _ origin: LinkOrigin,
    _ session: Session
  ) {
    self.target = target
    self.central = central
    self.info = info
    self.origin = origin
    self.session = session
  }

  /// Connects; a device that BlueZ has forgotten in between is looked for again, within the same time.
  ///
  /// The locator's scan goes on until then, paused while the connection is made. BlueZ forgets a device that accepts no
  /// connections with each such pause: that is its only sign of it.
  private static func connect(
    _ target: TargetOptions, _ central: CentralManager, _ session: Session, within limit: Duration?
  ) async throws -> (PeripheralInfo, LinkOrigin) {
    let locator = DeviceLocator(
      target.device, pick: target.pick, central: central, session: session, within: limit)
    var info = try await locator.find()
    var losses = 0
    while true {
      do {
        let found = info
        let label = found.name ?? found.address.description
        let origin = try await session.showingProgress("connecting to \(label)") {
          try await found.peripheral.connect(timeout: locator.remaining)
        }
        return (try await found.peripheral.info, origin)
      } catch let error as BLEError where error.code == .notFound && locator.remaining != .zero {
        losses += 1
        if losses == lossesOfBeacon { throw notConnectable(info) }
        info = try await locator.search()
      }
    }
  }

  private static func notConnectable(_ info: PeripheralInfo) -> CommandError {
    CommandError(
      status: .failed,
      message:
        "cannot connect to \(info.address): it accepts no connections (BlueZ forgets it with each scan)",
      hint: "blectl scan --address \(info.address); it can only be listened to")
  }

  /// Goes on over a link that was opened in place of a lost one.
  func replace(by info: PeripheralInfo) {
    self.info = info
    origin = .opened
  }

  /// Goes on with another manager, because the one before has lost its bus.
  func move(to central: CentralManager) { self.central = central }

  /// The services of the device.
  func services() async throws -> [GATTService] {
    try await perform { peripheral throws(BLEError) in try await peripheral.discoverServices() }
  }

  /// Does a step over the link; again over a new one, when this one was going down.
  ///
  /// - Parameters:
  ///   - isRepeatable: whether the step may be done twice: a request lost on its way may have been carried out.
  ///   - step: what to do.
  /// - Returns: what the step returns.
  /// - Throws: what the step throws, or why there is no new link.
  func perform<Result: Sendable>(
    isRepeatable: Bool = true, _ step: (Peripheral) async throws(BLEError) -> Result
  ) async throws -> Result {
    do {
      return try await step(peripheral)
    } catch {
      guard error.code == .disconnected, isRepeatable || !error.mayHaveTakenEffect, try await reopen() else {
        throw error
      }
      return try await step(peripheral)
    }
  }

  /// Opens a new link in place of one that was going down when it was joined.
  ///
  /// - Returns: false when this one was not.
  func reopen() async throws -> Bool {
    guard origin == .joined, ContinuousClock.now - joined < Link.closingTime else { return false }
    let peripheral = peripheral
    try await session.showingProgress("waiting for the old link to go") {
      try await peripheral.waitUntilDisconnected(timeout: .seconds(5))
    }
    (info, origin) = try await Link.connect(target, central, session, within: session.timeout)
    return true
  }
}
