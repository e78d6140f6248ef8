// SPDX-License-Identifier: MIT
internal import BLECentral

/// The connection of a command.
///
/// Only tasks on the loop use it, one at a time.
final class Link: @unchecked Sendable {
  private(set) var central: CentralManager
  private(set) var info: PeripheralInfo
  private let session: Session

  /// How often BlueZ has to forget a device that was just heard before we report it as not connectable: this can happen to
  /// a connectable device once or twice.
  private static let lossesOfBeacon = 3

  var peripheral: Peripheral { info.peripheral }

  /// Finds the device and connects to it, within `--timeout`.
  static func open(_ target: TargetOptions, in session: Session) async throws -> Link {
    try await open(target, in: session, within: session.timeout)
  }

  /// Finds the device and connects to it.
  ///
  /// A session that has a link uses that one; see ``reopen(_:)``.
  static func open(_ target: TargetOptions, in session: Session, within limit: Duration?) async throws -> Link
  {
    if let link = session.link { return link }
    let central = try await session.central()
    return Link(central, try await connect(target, central, session, within: limit), session)
  }

  private init(_ central: CentralManager, _ info: PeripheralInfo, _ session: Session) {
    self.central = central
    self.info = info
    self.session = session
  }

  /// Connects; if BlueZ forgets the device in between, searches for it again within the same time limit.
  ///
  /// The locator's scan continues, paused while connecting. In each pause BlueZ forgets devices that accept no connections,
  /// which is its only sign of them.
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
        "cannot connect to \(info.address): it accepts no connections (BlueZ forgets it after each scan)",
      hint: "blectl scan --address \(info.address) prints its advertisements")
  }

  /// Connects again if the link was closed or lost, within `--timeout`.
  func reopen(_ target: TargetOptions) async throws {
    info = try await Link.connect(target, central, session, within: session.timeout)
  }

  /// Replaces a lost link with a new one.
  func replace(by info: PeripheralInfo) { self.info = info }

  /// Switches to another manager, because the previous one lost its bus.
  func move(to central: CentralManager) { self.central = central }

  /// The services of the device.
  func services() async throws -> [GATTService] {
    try await peripheral.discoverServices()
  }
}
