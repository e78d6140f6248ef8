// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import DBus
internal import PeripheralEmulator

/// Sends the advertisements of clients (`LEAdvertisingManager1`), which other adapters hear.
final class AdvertisingManager: ExportedInterface {
  private static let descriptions = VersionedDescription(
    InterfaceDescription(
      name: BlueZName.advertisingManager,
      methods: [
        .init("RegisterAdvertisement", ["advertisement:o", "options:a{sv}"]),
        .init("UnregisterAdvertisement", ["service:o"]),
      ],
      properties: [
        .init("ActiveInstances", "y"), .init("SupportedInstances", "y"), .init("SupportedIncludes", "as"),
        .init("SupportedSecondaryChannels", "as"), .init("SupportedFeatures", "as", since: .v5_82),
        .init("SupportedCapabilities", "a{sv}", since: .v5_82),
      ]))
  var description: InterfaceDescription { AdvertisingManager.descriptions[adapter.daemon.version] }

  private struct Active {
    let number: Int
    let peer: AdapterPeer
    let timer: TimerQueue.Token?
    let changes: SubscriptionID
    var properties: DBusValue
  }

  /// The number of advertisements that the controller supports.
  private static let capacity = 5
  private static let txPower: Int16 = 7

  private unowned let adapter: AdapterObject
  private var active: [ClientObject: Active] = [:]
  private var pending: Set<ClientObject> = []
  private var lastNumber = 0

  init(_ adapter: AdapterObject) { self.adapter = adapter }

  func value(of property: String) -> DBusValue? {
    switch property {
    case "ActiveInstances": .byte(UInt8(active.count))
    case "SupportedInstances": .byte(UInt8(AdvertisingManager.capacity - active.count))
    case "SupportedIncludes": .strings(["tx-power", "appearance", "local-name"])
    case "SupportedFeatures": .strings([])
    case "SupportedCapabilities":
      .properties([
        ("MaxAdvLen", .byte(31)), ("MaxScnRspLen", .byte(31)), ("MinTxPower", .int16(0)),
        ("MaxTxPower", .int16(0)),
      ])
    default: nil
    }
  }

  func perform(_ method: String, _ call: MethodCall) {
    let advertisement = ClientObject(namedBy: call)
    if method == "RegisterAdvertisement" { return register(advertisement, call) }
    guard pending.remove(advertisement) != nil || stop(advertisement) else { return call.fail(.doesNotExist) }
    call.reply()
  }

  private func register(_ advertisement: ClientObject, _ call: MethodCall) {
    guard active[advertisement] == nil, !pending.contains(advertisement) else {
      return call.fail(.alreadyExists)
    }
    guard active.count + pending.count < AdvertisingManager.capacity else {
      return call.fail(.notPermitted("Maximum advertisements reached"))
    }
    pending.insert(advertisement)
    let contents = Message(
      call: "GetAll", of: StandardInterface.properties, at: advertisement.path, to: advertisement.client
    ) { $0.string(BlueZName.advertisement) }
    adapter.daemon.call(advertisement.objectsRequest) { [weak self] _ in
      self?.adapter.daemon.call(contents) { self?.take($0, of: advertisement, call) }
    }
  }

  private func take(_ reply: Message?, of advertisement: ClientObject, _ call: MethodCall) {
    guard pending.remove(advertisement) != nil else { return }
    do throws(BlueZError) {
      let parsed = try ClientAdvertisement(
        reply?.values.first, alias: adapter.name, txPower: AdvertisingManager.txPower)
      guard adapter.isPowered else { throw .failed("Failed to register advertisement") }
      start(parsed, reply?.values.first ?? .properties([]), of: advertisement)
      call.reply()
    } catch {
      call.fail(error)
    }
  }

  // MARK: The air

  private func start(
    _ parsed: ClientAdvertisement, _ properties: DBusValue, of advertisement: ClientObject
  ) {
    lastNumber += 1
    let peer = parsed.spec.isConnectable ? adapter.peer : adapter.makeBeacon(number: lastNumber)
    peer.advertise(parsed.spec, number: lastNumber)
    adapter.daemon.medium.add(peer)
    let timer = parsed.timeout.map { limit in
      adapter.daemon.timers.schedule(after: limit) { [weak self] in self?.release(advertisement) }
    }
    let rule = MatchRule(
      sender: advertisement.client, interface: StandardInterface.properties, member: "PropertiesChanged",
      path: advertisement.path)
    let changes = adapter.daemon.subscribe(rule) { [weak self] message in
      guard message.isSent(by: advertisement.client) else { return }
      self?.changed(advertisement, message)
    }
    active[advertisement] = Active(
      number: lastNumber, peer: peer, timer: timer, changes: changes, properties: properties)
    signalInstances()
  }

  /// Applies changed properties from the next report; those that cannot be parsed keep their old values.
  private func changed(_ advertisement: ClientObject, _ message: Message) {
    let arguments = message.values
    guard var entry = active[advertisement], arguments.count == 3,
      arguments[0].text == BlueZName.advertisement,
      case .dictionary(_, _, let changes) = arguments[1], case .array(_, let names) = arguments[2]
    else { return }
    var spec: AdvertisementSpec?
    let removed: [(String, DBusValue?)] = names.map { ($0.text ?? "", nil) }
    for (name, value) in changes.map({ ($0.key.text ?? "", $0.value) }) + removed {
      let properties = entry.properties.setting(name, to: value)
      // Its type and timeout cannot change.
      guard !["Type", "Timeout"].contains(name),
        let parsed = try? ClientAdvertisement(
          properties, alias: adapter.name, txPower: AdvertisingManager.txPower)
      else { continue }
      entry.properties = properties
      spec = parsed.spec
    }
    guard let spec else { return }
    entry.peer.stopAdvertising(entry.number)
    if !spec.isConnectable { entry = moved(entry) }
    entry.peer.advertise(spec, number: entry.number)
    active[advertisement] = entry
  }

  /// The kernel gives a beacon another random address each time that it sends new data.
  private func moved(_ entry: Active) -> Active {
    lastNumber += 1
    let peer = adapter.makeBeacon(number: lastNumber)
    adapter.daemon.medium.remove(entry.peer)
    adapter.daemon.medium.add(peer)
    return Active(
      number: lastNumber, peer: peer, timer: entry.timer, changes: entry.changes, properties: entry.properties
    )
  }

  /// Ends an advertisement, and returns whether it was active.
  private func stop(_ advertisement: ClientObject) -> Bool {
    guard let ended = active.removeValue(forKey: advertisement) else { return false }
    adapter.daemon.timers.cancel(ended.timer)
    adapter.daemon.unsubscribe(ended.changes)
    ended.peer.stopAdvertising(ended.number)
    if ended.peer.advertisementCount == 0 { adapter.daemon.medium.remove(ended.peer) }
    signalInstances()
    return true
  }

  /// Ends an advertisement and notifies its client.
  private func release(_ advertisement: ClientObject) {
    guard stop(advertisement) else { return }
    let message = Message(
      call: "Release", of: BlueZName.advertisement, at: advertisement.path, to: advertisement.client)
    message.expectNoReply()
    adapter.daemon.tree.send(message)
  }

  func releaseAll() { for advertisement in active.keys { release(advertisement) } }

  /// Stops sending without signals, as the kernel does when the daemon is killed.
  func abandon() { for advertisement in active.keys { _ = stop(advertisement) } }

  private func signalInstances() {
    for property in ["ActiveInstances", "SupportedInstances"] {
      adapter.daemon.tree.changed(property, of: BlueZName.advertisingManager, at: adapter.path)
    }
  }

  func clientLeft(_ name: String) {
    pending = pending.filter { $0.client != name }
    for advertisement in active.keys where advertisement.client == name { _ = stop(advertisement) }
  }
}

extension DBusValue {
  /// Returns a dictionary of properties with one of them replaced; nil removes it.
  fileprivate func setting(_ property: String, to value: DBusValue?) -> DBusValue {
    guard case .dictionary(let key, let kind, let entries) = self else { return self }
    let others = entries.filter { $0.key.text != property }
    return .dictionary(key: key, value: kind, others + (value.map { [Entry(.string(property), $0)] } ?? []))
  }
}
