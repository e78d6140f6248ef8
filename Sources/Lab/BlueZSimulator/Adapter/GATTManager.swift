// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld
internal import DBus
internal import PeripheralEmulator

/// Accepts the services of clients (`GattManager1`), which other adapters find.
final class GATTManager: ExportedInterface {
  let description = InterfaceDescription(
    name: BlueZName.gattManager,
    methods: [
      .init("RegisterApplication", ["application:o", "options:a{sv}"]),
      .init("UnregisterApplication", ["application:o"]),
    ])

  private unowned let adapter: AdapterObject
  private let database: LocalDatabase
  /// Applications whose objects are requested.
  private var pending: Set<ClientObject> = []

  init(_ adapter: AdapterObject, _ database: LocalDatabase) {
    self.adapter = adapter
    self.database = database
  }

  func perform(_ method: String, _ call: MethodCall) {
    let object = ClientObject(namedBy: call)
    if method == "RegisterApplication" { return register(object, call) }
    guard pending.remove(object) != nil || database.remove(object) else { return call.fail(.doesNotExist) }
    adapter.changed("UUIDs")
    call.reply()
  }

  private func register(_ object: ClientObject, _ call: MethodCall) {
    guard !database.contains(object), pending.insert(object).inserted else {
      return call.fail(.alreadyExists)
    }
    adapter.daemon.call(object.objectsRequest) { [weak self] reply in
      guard let self, pending.remove(object) != nil else { return }
      do throws(BlueZError) {
        try database.add(Application(object, reply?.values.first))
        adapter.changed("UUIDs")
        call.reply()
      } catch {
        call.fail(error)
      }
    }
  }

  func clientLeft(_ name: String) {
    pending = pending.filter { $0.client != name }
    if database.clientLeft(name) { adapter.changed("UUIDs") }
  }
}

extension AdapterObject {
  func makePeer() -> AdapterPeer {
    let peer = AdapterPeer(
      address: spec.address, host: spec.address, attributes: database,
      packetTime: { [medium = daemon.medium] in medium.defaultPacketTime },
      isOn: { [weak self] in self?.isOnAir ?? false })
    peer.onConnect = { [weak self] in self?.opened($0) }
    peer.onDisconnect = { [weak self] in self?.closed($0) }
    peer.pairing.onRequest = { [weak self] address, answer in
      guard let device = self?.device(address) else { return answer(false) }
      device.bond.decide(then: answer)
    }
    peer.pairing.onKey = { [weak self] key, address in self?.device(address)?.bond.agreed(on: key) }
    return peer
  }

  /// Returns a peer for a beacon, with a random address that cannot be resolved.
  func makeBeacon(number: Int) -> AdapterPeer {
    let own = spec.address.split(separator: ":").compactMap { UInt8($0, radix: 16) }
    let bytes = [UInt8(truncatingIfNeeded: number) & 0x3F] + own.dropFirst().map { $0 ^ 0x5A }
    let address = bytes.map { Hex.string([$0]).uppercased() }.joined(separator: ":")
    return AdapterPeer(
      address: address, host: spec.address, attributes: database, packetTime: { .zero },
      isOn: { [weak self] in self?.isOnAir ?? false })
  }

  private var isOnAir: Bool { isPowered && !isRemoved }

  // MARK: Links

  /// Handles a new link of a central, which becomes a device of the daemon once everything available is read: its first
  /// requests may precede that.
  private func opened(_ link: any PeripheralLink) {
    database.opened(link)
    arriving.append(link)
    daemon.timers.schedule(after: .zero) { [weak self, weak link] in
      if let self, let link { _ = accept(link) }
    }
  }

  /// Reads about a link, if the daemon has not yet; returns whether that is so.
  private func accept(_ link: any PeripheralLink) -> Bool {
    guard let index = arriving.firstIndex(where: { $0 === link }) else { return false }
    arriving.remove(at: index)
    let central = link.central
    let known = device(central.address)
    let device = known ?? DeviceObject(central, adapter: self)
    if known == nil { add(device) }
    device.link.accept(link)
    return true
  }

  private func closed(_ link: any PeripheralLink) {
    // The daemon reads in order that it began and that it ended.
    if accept(link) { daemon.tree.flush() }
    database.closed(link)
    device(link.central.address)?.link.endedByCentral()
  }
}

/// The battery levels that clients provide (`BatteryProviderManager1`): registered, but never shown.
final class BatteryProviderManager: ExportedInterface {
  let description = InterfaceDescription(
    name: BlueZName.batteryProviders,
    methods: [
      .init("RegisterBatteryProvider", ["provider:o"]), .init("UnregisterBatteryProvider", ["provider:o"]),
    ])

  /// By path: bluetoothd does not distinguish those of two clients.
  private var providers: [String: ClientObject] = [:]

  func perform(_ method: String, _ call: MethodCall) {
    let provider = ClientObject(namedBy: call)
    let known = providers[provider.path]
    if method == "RegisterBatteryProvider" {
      guard known == nil else {
        return call.fail(.named("org.bluez.Error.AlreadyExists", "Provider already exists"))
      }
      providers[provider.path] = provider
    } else {
      guard known == provider else {
        return call.fail(.named("org.bluez.Error.DoesNotExist", "Provider does not exist"))
      }
      providers[provider.path] = nil
    }
    call.reply()
  }

  func clientLeft(_ name: String) { providers = providers.filter { $0.value.client != name } }
}

/// The audio interface (`Media1`), which accepts nothing.
final class MediaManager: ExportedInterface {
  private static let descriptions = VersionedDescription(
    InterfaceDescription(
      name: BlueZName.media,
      methods: [
        .init("RegisterEndpoint", ["endpoint:o", "properties:a{sv}"]),
        .init("UnregisterEndpoint", ["endpoint:o"]),
        .init("RegisterPlayer", ["player:o", "properties:a{sv}"]), .init("UnregisterPlayer", ["player:o"]),
        .init("RegisterApplication", ["application:o", "options:a{sv}"]),
        .init("UnregisterApplication", ["application:o"]),
      ],
      properties: [.init("SupportedUUIDs", "as"), .init("SupportedFeatures", "as", since: .v5_87)]))

  var description: InterfaceDescription { Self.descriptions[daemon.version] }
  private unowned let daemon: DaemonContext

  init(_ daemon: DaemonContext) { self.daemon = daemon }

  func value(of property: String) -> DBusValue? {
    let profiles = property == "SupportedUUIDs" ? daemon.behaviour.mediaProfiles : []
    return .strings(profiles.map { BluetoothUUID($0).longForm })
  }

  func perform(_ method: String, _ call: MethodCall) {
    call.fail(method.hasPrefix("Unregister") ? .doesNotExist : .notSupported)
  }
}
