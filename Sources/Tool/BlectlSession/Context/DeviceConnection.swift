// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLECentral
package import BlectlArguments
internal import Logging
internal import ValueStreams

/// The connection of a command.
package final class DeviceConnection: Sendable {
  private struct State {
    var central: CentralManager
    var info: PeripheralInfo
    var signal: Int?
    var origin = LinkOrigin.joined
    var pairing: PairingOnDemand?
  }

  private let state: Lock<State>
  let context: CommandContext
  /// The device as the user typed it; its address if what was typed also stands for others.
  package let title: String

  var central: CentralManager { state.withLock { $0.central } }
  package var info: PeripheralInfo { state.withLock { $0.info } }
  /// The signal strength of the last advertisement before the link, in dBm; nil if none was heard.
  package var signal: Int? { state.withLock { $0.signal } }
  /// The origin of the link: opened by this command, or joined.
  package var origin: LinkOrigin { state.withLock { $0.origin } }
  /// Pairs when the device requires it; nil makes that an error.
  var pairing: PairingOnDemand? { state.withLock { $0.pairing } }

  package var peripheral: Peripheral { info.peripheral }
  /// The limit of every wait; nil sets no limit.
  package var timeout: Duration? { context.timeout }

  init(
    _ central: CentralManager, _ info: PeripheralInfo, of device: DeviceArgument, _ context: CommandContext,
    _ pairing: PairingOnDemand?
  ) {
    title = device.title(of: info.address)
    state = Lock(State(central: central, info: info, pairing: pairing))
    self.context = context
  }

  /// Sends requests; with `--pair`, pairs if the device requires it, and sends them again.
  package func request<Result>(_ body: () async throws -> Result) async throws -> Result {
    guard let pairing else { return try await body() }
    return try await pairing.run(over: peripheral, named: title, body)
  }

  /// With `--pair`, pairs with a device that is not paired, before writes without response: it cannot ask for it.
  package func pairBeforehand() async throws {
    try await pairing?.pairBeforehand(over: peripheral, named: title)
  }

  /// Subscribes within `--timeout`; with `--pair`, pairs if the device requires it.
  package func notifications(
    of characteristic: GATTCharacteristic, via transport: NotificationTransport = .signal
  ) async throws -> Notifications {
    try await request {
      try await peripheral.notifications(for: characteristic, via: transport, timeout: timeout)
    }
  }

  /// Subscribes to values, each of which counts once.
  ///
  /// - Throws: ``CommandError`` if another program is subscribed too, since BlueZ then passes on each value more than once.
  package func soleNotifications(
    of characteristic: GATTCharacteristic, wantedAs name: String
  ) async throws -> Notifications {
    let notifications = try await notifications(of: characteristic)
    guard await peripheral.hadOtherSubscribers(of: characteristic) else { return notifications }
    throw CommandError(
      status: .failed,
      message:
        "cannot receive \(name): another program is subscribed to it, and BlueZ passes on each value twice then",
      hint: "end the other subscription, such as that of a 'blectl subscribe' or a bridge")
  }

  package func replace(by info: PeripheralInfo) { state.exchange(\.info, info) }

  /// Switches to another manager after the previous one lost its bus.
  package func move(to central: CentralManager) { state.exchange(\.central, central) }

  package func services() async throws -> [GATTService] {
    try await peripheral.discoverServices()
  }

  /// The wanted transport, or signals where the bus cannot pass sockets.
  package func possible(_ transport: NotificationTransport) async throws -> NotificationTransport {
    guard transport == .socket, try await !context.bus.central().carriesSockets else { return transport }
    context.logger.info("sockets cannot cross ssh: the values come as signals")
    return .signal
  }

  // MARK: Opening

  /// The number of times BlueZ must remove a device that was just heard before we call it not connectable.
  ///
  /// With connectable devices, this happens once or twice.
  private static let lossesOfBeacon = 3

  package static func open(
    _ target: DeviceChoice, in context: CommandContext, pairing: PairingOnDemand? = nil
  ) async throws -> DeviceConnection {
    try await open(target, in: context, within: context.timeout, pairing: pairing)
  }

  /// Finds the device and connects to it; a context that has a link uses that one (see ``reopen(_:)``).
  package static func open(
    _ target: DeviceChoice, in context: CommandContext, within limit: Duration?,
    pairing: PairingOnDemand? = nil
  ) async throws -> DeviceConnection {
    if let link = context.connection {
      if let pairing {
        try await pairing.begin(with: link.central)
        pairing.permit(try await link.peripheral.info)
        link.state.exchange(\.pairing, pairing)
      }
      return link
    }
    let (info, opening) = try await connect(target, in: context, within: limit, pairing)
    let link = DeviceConnection(
      try await context.bus.central(), info, of: target.device, context, pairing)
    link.note(opening)
    return link
  }

  /// The facts about a link that are known when it is open.
  private struct Opening: Sendable {
    let signal: Int?
    let origin: LinkOrigin
  }

  private func note(_ opening: Opening) {
    state.withLock { ($0.signal, $0.origin) = (opening.signal, opening.origin) }
  }

  private static func connect(
    _ target: DeviceChoice, in context: CommandContext, within limit: Duration?,
    _ pairing: PairingOnDemand?
  ) async throws -> (PeripheralInfo, Opening) {
    try await pairing?.begin(with: try await context.bus.central())
    return try await find(target, in: context, within: limit) { info, remaining in
      pairing?.permit(info)
      do {
        let origin = try await context.showingProgress("connecting to \(info.name ?? "\(info.address)")") {
          try await info.peripheral.connect(timeout: remaining)
        }
        return Opening(signal: info.rssi, origin: origin)
      } catch let error as BLEError where error.code == .bondLostByPeer {
        guard let pairing else { throw error }
        // The device is found again without its bond, and paired when a value requires it.
        try await pairing.forget(info.peripheral)
        throw BLEError(.notFound, during: error.action, "BlueZ has forgotten the device")
      }
    }
  }

  /// Finds a device and runs `body` with the time left, if limited; searches again if BlueZ forgets it.
  package static func find<Result: Sendable>(
    _ target: DeviceChoice, in context: CommandContext, within limit: Duration?,
    _ body: (PeripheralInfo, Duration?) async throws -> Result
  ) async throws -> (PeripheralInfo, Result) {
    let central = try await context.bus.central()
    let locator = DeviceLocator(
      target.device, pick: target.pick, forAll: target.forAll, central: central, context: context,
      within: limit)
    var info = try await locator.find()
    // The locator's scan continues, paused while connecting; in each pause BlueZ forgets devices that accept
    // no connections, which is its only sign of them.
    var losses = 0
    while true {
      do {
        let result = try await body(info, locator.remaining)
        return (try await info.peripheral.info, result)
      } catch let error as BLEError where error.code == .notFound {
        losses += 1
        if losses == lossesOfBeacon {
          throw notConnectable(
            info, target, "it accepts no connections (BlueZ forgets it after each scan)",
            in: context)
        }
        if locator.remaining == .zero {
          throw notConnectable(
            info, target, "BlueZ has forgotten it; probably it accepts no connections", in: context)
        }
        info = try await locator.search()
      }
    }
  }

  private static func notConnectable(
    _ info: PeripheralInfo, _ target: DeviceChoice, _ reason: String, in context: CommandContext
  ) -> CommandError {
    let title = target.device.title(of: info.address)
    // One of several is easier to recognize by its name.
    let name = title == "\(info.address)" ? info.name.map { " (\($0))" } ?? "" : ""
    let values = AdvertisedValues(AdvertisedSelection(takesRepeats: true), context.decoder)
    return CommandError(
      status: .failed,
      message: "cannot connect to \(title)\(name): \(reason)",
      hint: !values.values(of: info, at: .now).isEmpty
        ? "blectl listen \(info.address) prints the values that it advertises"
        : "blectl scan --address \(info.address) prints its advertisements")
  }

  /// Connects again within `--timeout` if the link was closed or lost.
  package func reopen(_ target: DeviceChoice) async throws {
    let (info, opening) = try await DeviceConnection.connect(
      target, in: context, within: context.timeout, pairing)
    replace(by: info)
    note(opening)
  }
}

extension GATTCharacteristic: CharacteristicCandidate {}

extension DeviceConnection {
  /// The characteristics that the user named, in order; an error lists the candidates of an ambiguous CHAR.
  package func characteristics(_ wanted: [CharacteristicArgument]) async throws -> [GATTCharacteristic] {
    let all = try await services().flatMap(\.characteristics)
    let hadServices = await peripheral.hadServices
    return try wanted.map { try resolve($0, all, hadServices: hadServices) }
  }

  private func resolve(
    _ wanted: CharacteristicArgument, _ all: [GATTCharacteristic], hadServices: Bool
  ) throws -> GATTCharacteristic {
    switch wanted.select(from: all) {
    case .one(let characteristic):
      if let word = wanted.shorthand(for: characteristic.uuid) {
        TypedNames.note(word, for: characteristic.uuid)
      }
      return characteristic
    case .none:
      if let (reason, hint) = mistake(in: wanted, all) {
        throw CommandError(
          status: .notFound, message: "cannot find \(wanted.title) on \(title): \(reason)", hint: hint)
      }
      var error = CommandError(
        status: .notFound, message: "cannot find \(wanted.title) on \(title): no such characteristic",
        hint: hadServices
          ? CommandError.oldServicesHint("\(info.address)") : "blectl services \(info.address)")
      // Services of an earlier link may be those of other firmware.
      error.isLack = !hadServices
      throw error
    case .many(let candidates):
      // A service may be there twice, too.
      let isOneService = Set(candidates.map(\.service)).count == 1
      throw CommandError(
        status: .notFound, message: "cannot choose \(wanted.title): \(title) has \(candidates.count)",
        details: candidates.map(\.label),
        hint:
          "use \(isOneService ? "" : "SERVICE/CHAR, or ")a handle such as @\(candidates[0].handle.fourDigits)"
      )
    }
  }

  /// Returns the kind of item that the user named instead of a characteristic, as gatttool and other programs
  /// do, and a hint on what to use; nil if none.
  private func mistake(
    in wanted: CharacteristicArgument, _ all: [GATTCharacteristic]
  ) -> (reason: String, hint: String)? {
    for characteristic in all {
      let name =
        all.hasTwin(of: characteristic)
        ? "@\(characteristic.handle.fourDigits)" : "\(characteristic.uuid)"
      if wanted == .handle(characteristic.handle &+ 1) {
        return (
          "it is the handle of the value of \(name)", "use @\(characteristic.handle.fourDigits), or \(name)"
        )
      }
      for descriptor in characteristic.descriptors
      where wanted == .handle(descriptor.handle) || wanted.isWritten(for: descriptor.uuid) {
        let use = "\(name) --descriptor \(descriptor.uuid)"
        return (
          "it is a descriptor of \(name)",
          descriptor.uuid == .clientCharacteristicConfiguration
            ? "blectl subscribe \(info.address) \(name), to be notified; the descriptor itself: \(use)"
            : "use \(use)"
        )
      }
      if wanted.isWritten(for: characteristic.service) {
        return ("it is a service", "blectl services \(info.address) shows its characteristics")
      }
    }
    let longer = wanted.longer(among: all).map { "\($0.uuid)".prefix(8) }
    guard let first = longer.first else { return nil }
    let rest = Set(longer).count > 1 ? ", …" : ""
    return (
      "no such characteristic, but \(longer.count) whose UUID begins so",
      "write the first eight digits of a long UUID: \(first)\(rest); blectl services \(info.address)"
    )
  }
}

extension [GATTCharacteristic] {
  /// Returns whether another one has the same UUID, so that only the handle identifies it.
  func hasTwin(of characteristic: GATTCharacteristic) -> Bool {
    contains { $0.uuid == characteristic.uuid && $0.id != characteristic.id }
  }
}

extension GATTCharacteristic {
  package func descriptor(_ uuid: BluetoothUUID) throws -> GATTDescriptor {
    if let descriptor = descriptors.first(where: { $0.uuid == uuid }) { return descriptor }
    throw CommandError(
      status: .notFound, message: "cannot find descriptor \(uuid) of \(title): no such descriptor",
      details: descriptors.map { "\($0.uuid) @\($0.handle.fourDigits)" })
  }
}
