// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld
internal import DBus
internal import PeripheralEmulator

/// One life of bluetoothd: its adapters, from start to stop or crash.
///
/// It is confined to the loop of its simulator, like everything that it owns.
final class Daemon {
  let context: DaemonContext
  private(set) var adapters: [AdapterObject] = []
  private let profiles = ProfileManager()
  private(set) lazy var channels = ChannelBroker(
    adapters: { [weak self] in self?.adapters ?? [] }, on: context.loop)
  private var isStopped = false
  var tree: ObjectTree { context.tree }

  init(_ context: DaemonContext) {
    self.context = context
    context.updateListening = { [weak self] in self?.updateListening() }
  }

  /// Exports the adapters and the managers.
  ///
  /// `areOff` tells whether an earlier daemon left the adapters off; this one then switches them on.
  func start(adapters specs: [AdapterSpec], areOff: Bool) {
    tree.register(context.agents, at: BlueZName.root)
    tree.register(profiles, at: BlueZName.root)
    tree.extra = channels
    if context.behaviour.hasHealthManager { tree.register(HealthManager(), at: BlueZName.root) }
    context.agents.onChange = { [weak self] hasAgent in self?.adapters.forEach { $0.setPairable(hasAgent) } }
    for spec in specs {
      var present = spec
      present.isPowered = spec.isPowered && !areOff
      addAdapter(present)
      guard spec.isPowered, areOff else { continue }
      context.timers.schedule(after: context.timing.power) { [weak self] in
        self?.adapter(spec.name)?.switchPower(true)
      }
    }
  }

  func adapter(_ name: String) -> AdapterObject? { adapters.first { $0.spec.name == name } }

  func addAdapter(_ spec: AdapterSpec) {
    let adapter = AdapterObject(spec, daemon: context)
    adapters.append(adapter)
    adapter.export()
  }

  func removeAdapter(_ name: String) {
    guard let adapter = adapter(name) else { return }
    adapter.remove()
    adapters.removeAll { $0 === adapter }
  }

  /// Stops reading the sockets of clients, or resumes.
  func setFrozen(_ isFrozen: Bool) {
    for adapter in adapters { adapter.database.isFrozen = isFrozen }
  }

  /// Listens while any adapter does, since the medium has one listener.
  private func updateListening() {
    guard adapters.contains(where: \.isListening) else { return context.medium.stopListening() }
    context.medium.listen { [weak self] peripheral, report in
      self?.adapters.forEach { $0.heard(peripheral, report) }
    }
  }

  /// Ends everything that a client started before it left the bus.
  func clientLeft(_ name: String) {
    profiles.clientLeft(name)
    channels.clientLeft(name)
    for adapter in adapters { adapter.clientLeft(name) }
    if context.agents.clientLeft(name) { context.onCrash() }
  }

  // MARK: The end

  /// Ends as on SIGTERM: closes the links and removes all objects.
  func shutDown() {
    guard !isStopped else { return }
    isStopped = true
    for agent in context.agents.agents { agent.release(tree) }
    for adapter in adapters { adapter.switchPower(false) }
    tree.flush()
    for name in [BlueZName.healthManager, BlueZName.profileManager, BlueZName.agentManager] {
      tree.unregister(name, at: BlueZName.root)
    }
    for adapter in adapters { adapter.remove() }
    context.medium.stopListening()
  }

  /// Ends as on SIGKILL: sends nothing, and the kernel closes sockets and links.
  func vanish() {
    guard !isStopped else { return }
    isStopped = true
    for adapter in adapters { adapter.database.abandon() }
    for adapter in adapters { adapter.abandon() }
    context.medium.stopListening()
  }
}

/// The health interface of BR/EDR (`HealthManager1`), which accepts no application.
final class HealthManager: ExportedInterface {
  let description = InterfaceDescription(
    name: BlueZName.healthManager,
    methods: [
      .init("CreateApplication", ["config:a{sv}"], returns: ["application:o"]),
      .init("DestroyApplication", ["application:o"]),
    ])

  func perform(_ method: String, _ call: MethodCall) {
    guard method == "DestroyApplication" else { return call.fail(.notSupported) }
    call.fail(.invalidArguments("Invalid arguments in method call, no such application"))
  }
}

/// The profiles of clients (`ProfileManager1`), which are for BR/EDR and so are never called.
final class ProfileManager: ExportedInterface {
  let description = InterfaceDescription(
    name: BlueZName.profileManager,
    methods: [
      .init("RegisterProfile", ["profile:o", "UUID:s", "options:a{sv}"]),
      .init("UnregisterProfile", ["profile:o"]),
    ])

  private var profiles: Set<ClientObject> = []

  func perform(_ method: String, _ call: MethodCall) {
    let profile = ClientObject(namedBy: call)
    if method == "RegisterProfile" {
      guard !profiles.contains(profile) else { return call.fail(.alreadyExists) }
      guard BluetoothUUID(bluez: call.argument(1)?.text ?? "") != nil else {
        return call.fail(.invalidArguments)
      }
      profiles.insert(profile)
    } else {
      guard profiles.remove(profile) != nil else { return call.fail(.doesNotExist) }
    }
    call.reply()
  }

  func clientLeft(_ name: String) { profiles = profiles.filter { $0.client != name } }
}
