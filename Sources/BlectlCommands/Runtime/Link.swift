// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BlectlArguments

/// The connection of a command.
///
/// Only tasks on the loop use it, one at a time.
final class Link: @unchecked Sendable {
  private(set) var central: CentralManager
  private(set) var info: PeripheralInfo
  private let session: Session
  /// Pairs when the device requires it; nil where that is an error.
  private(set) var pairing: PairingOnDemand?

  /// How often BlueZ has to forget a device that was just heard before we report it as not connectable: this can happen to
  /// a connectable device once or twice.
  private static let lossesOfBeacon = 3

  var peripheral: Peripheral { info.peripheral }

  /// Finds the device and connects to it, within `--timeout`.
  static func open(
    _ target: TargetOptions, in session: Session, pairing: PairingOnDemand? = nil
  ) async throws -> Link {
    try await open(target, in: session, within: session.timeout, pairing: pairing)
  }

  /// Finds the device and connects to it.
  ///
  /// A session that has a link uses that one; see ``reopen(_:)``.
  static func open(
    _ target: TargetOptions, in session: Session, within limit: Duration?, pairing: PairingOnDemand? = nil
  ) async throws -> Link {
    if let link = session.link {
      if let pairing {
        try await pairing.begin(with: link.central)
        pairing.permit(try await link.peripheral.info)
        link.pairing = pairing
      }
      return link
    }
    let info = try await connect(target, in: session, within: limit, pairing)
    return Link(try await session.central(), info, session, pairing)
  }

  private static func connect(
    _ target: TargetOptions, in session: Session, within limit: Duration?, _ pairing: PairingOnDemand?
  ) async throws -> PeripheralInfo {
    try await pairing?.begin(with: try await session.central())
    return try await find(target, in: session, within: limit) { info, remaining in
      pairing?.permit(info)
      do {
        try await session.showingProgress("connecting to \(info.name ?? "\(info.address)")") {
          _ = try await info.peripheral.connect(timeout: remaining)
        }
      } catch let error as BLEError where error.code == .bondLostByPeer {
        guard let pairing else { throw error }
        // The device is found again, without its bond, and paired when a value requires it.
        try await pairing.forget(info.peripheral)
        throw BLEError(.notFound, during: error.action, "BlueZ has forgotten the device")
      }
    }.0
  }

  private init(
    _ central: CentralManager, _ info: PeripheralInfo, _ session: Session, _ pairing: PairingOnDemand?
  ) {
    self.central = central
    self.info = info
    self.session = session
    self.pairing = pairing
  }

  /// Sends requests; with `--pair`, pairs where the device requires it, and sends them again.
  func request<Result>(_ body: () async throws -> Result) async throws -> Result {
    guard let pairing else { return try await body() }
    return try await pairing.run(over: self, body)
  }

  /// Finds a device and does something with it, mostly connects; if BlueZ forgets the device in between, searches for it
  /// again within the same time limit.
  ///
  /// The locator's scan continues, paused while connecting. In each pause BlueZ forgets devices that accept no connections,
  /// which is its only sign of them.
  ///
  /// - Parameters:
  ///   - target: the device.
  ///   - session: the run of the command.
  ///   - limit: the time to find it and for `body`; nil is no limit.
  ///   - body: what to do, and how much time is left for it.
  /// - Returns: the device as it is known then, and what `body` returns.
  /// - Throws: why it cannot be found, or what `body` throws.
  static func find<Result: Sendable>(
    _ target: TargetOptions, in session: Session, within limit: Duration?,
    _ body: (PeripheralInfo, Duration?) async throws -> Result
  ) async throws -> (PeripheralInfo, Result) {
    let central = try await session.central()
    let locator = DeviceLocator(
      target.device, pick: target.pick, central: central, session: session, within: limit)
    var info = try await locator.find()
    var losses = 0
    while true {
      do {
        let result = try await body(info, locator.remaining)
        return (try await info.peripheral.info, result)
      } catch let error as BLEError where error.code == .notFound {
        losses += 1
        if losses == lossesOfBeacon {
          throw notConnectable(info, "it accepts no connections (BlueZ forgets it after each scan)")
        }
        if locator.remaining == .zero {
          throw notConnectable(info, "BlueZ has forgotten it; probably it accepts no connections")
        }
        info = try await locator.search()
      }
    }
  }

  private static func notConnectable(_ info: PeripheralInfo, _ reason: String) -> CommandError {
    CommandError(
      status: .failed, message: "cannot connect to \(info.address): \(reason)",
      hint: "blectl scan --address \(info.address) prints its advertisements")
  }

  /// Connects again if the link was closed or lost, within `--timeout`.
  func reopen(_ target: TargetOptions) async throws {
    info = try await Link.connect(target, in: session, within: session.timeout, pairing)
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

extension GATTCharacteristic: CharacteristicCandidate {}

extension Link {
  /// The characteristics that some CHARs name, in that order.
  ///
  /// - Throws: ``CommandError`` that lists the candidates of an ambiguous CHAR, or names the missing one.
  func characteristics(_ wanted: [CharacteristicArgument]) async throws -> [GATTCharacteristic] {
    let all = try await services().flatMap(\.characteristics)
    return try wanted.map { try resolve($0, all) }
  }

  private func resolve(
    _ wanted: CharacteristicArgument, _ all: [GATTCharacteristic]
  ) throws -> GATTCharacteristic {
    switch wanted.select(from: all) {
    case .one(let characteristic): return characteristic
    case .none:
      throw CommandError(
        status: .notFound, message: "cannot find \(wanted) on \(info.address): no such characteristic",
        hint: "blectl services \(info.address)")
    case .many(let candidates):
      throw CommandError(
        status: .notFound, message: "cannot choose \(wanted): \(info.address) has \(candidates.count)",
        details: candidates.map(\.label),
        hint: "use SERVICE/CHAR, or a handle such as @\(candidates[0].handle.fourDigits)")
    }
  }
}

extension GATTCharacteristic {
  /// The descriptor with a UUID.
  func descriptor(_ uuid: BluetoothUUID) throws -> GATTDescriptor {
    if let descriptor = descriptors.first(where: { $0.uuid == uuid }) { return descriptor }
    throw CommandError(
      status: .notFound, message: "cannot find descriptor \(uuid) of \(self.uuid): no such descriptor",
      details: descriptors.map { "\($0.uuid) @\($0.handle.fourDigits)" })
  }
}
