// SPDX-License-Identifier: MIT
internal import BLECentral

/// A connection that a command works over.
///
/// Used by tasks on the loop only, one at a time.
final class Link: @unchecked Sendable {
  private(set) var central: CentralManager
  private(set) var info: PeripheralInfo
  private let session: Session

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
    return Link(central, try await connect(target, central, session, within: limit), session)
  }

  private init(_ central: CentralManager, _ info: PeripheralInfo, _ session: Session) {
    self.central = central
    self.info = info
    self.session = session
  }

  /// Connects; a device that BlueZ has forgotten in between is looked for again, within the same time.
  ///
  /// The locator's scan goes on until then, paused while the connection is made. BlueZ forgets a device that accepts no
  /// connections with each such pause: that is its only sign of it.
  private static func connect(
    _ target: TargetOptions, _ central: CentralManager, _ session: Session, within limit: Duration?
  ) async throws -> PeripheralInfo {
    let locator = DeviceLocator(
      target.device, pick: target.pick, central: central, session: session, within: limit)
    var info = try await locator.find()
    var losses = 0
    while true {
      do {
        let found = info
        let label = found.name ?? found.address.description
        try await session.showingProgress("connecting to \(label)") {
          _ = try await found.peripheral.connect(timeout: locator.remaining)
        }
        return try await found.peripheral.info
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
  func replace(by info: PeripheralInfo) { self.info = info }

  /// Goes on with another manager, because the one before has lost its bus.
  func move(to central: CentralManager) { self.central = central }

  /// The services of the device.
  func services() async throws -> [GATTService] {
    try await peripheral.discoverServices()
  }
}
