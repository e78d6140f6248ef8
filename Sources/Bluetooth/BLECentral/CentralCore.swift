// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus
internal import Logging

/// The state and behavior of a central manager; confined to the loop's thread.
///
/// The manager owns it, and has no state of its own. Sessions know the core, so that no function is handed a manager.
final class CentralCore {
  let client: BlueZClient
  /// The owner, to which the handles of devices refer; nil once it is being released.
  private(set) weak var manager: CentralManager?
  /// The manager's number among the client's followers.
  private(set) var follower = 0
  private var ending: BLEError?
  var conditions = Conditions()
  private(set) lazy var sessions = Sessions(self)
  private(set) lazy var agent = AgentSession(self)
  private(set) lazy var reporter = EventReporter(self)
  /// Devices (by path) whose services bluetoothd was discovering when it ended.
  var endedWithCache: Set<String> = []

  init(of manager: CentralManager) { (self.manager, client) = (manager, manager.client) }

  var loop: EventLoop { client.loop }
  var connection: Connection { client.connection }
  var logger: Logger { client.logger }
  var outage: BLEError? { ending ?? client.assumeIsolated { $0.outage } }
  var owner: String? { client.assumeIsolated { $0.owner } }

  // MARK: Following BlueZ

  /// Follows BlueZ from now on.
  func start() async {
    follower = await client.follow(asCentral: true, loop.confined { [weak self] in self?.follow($0) })
  }

  /// Forwards a change in BlueZ to the sessions, the waiting tasks and the readers of events.
  private func follow(_ change: BlueZClient.Change) {
    switch change {
    case .objects(let changes):
      for change in changes {
        sessions.follow(change)
        reporter.report(change)
      }
    case .lost(let error, _): sessions.end(because: error)
    case .everything: everythingChanged()
    }
  }

  private func everythingChanged() {
    evaluateConditions()
    sessions.failScans()
    reporter.reportEverything()
    guard let outage else { return agent.restore() }
    if outage.isFinal { reporter.end(because: outage) }
  }

  /// Evaluates everything that tasks wait for.
  func evaluateConditions() { conditions.look(at: client.model, outage: outage) }

  // MARK: Adapters and devices

  var state: BluetoothState { BluetoothState(outage, client.assumeIsolated { $0.usedAdapter }) }

  func knownAdapter(for action: BLEError.Action) throws(BLEError) -> AdapterState {
    if let ending { throw ending.during(action) }
    return try client.assumeIsolated { $0.adapterInUse(for: action) }.get()
  }

  /// The adapter in use; throws ``BLEError`` when there is none, or it is off.
  func poweredAdapter(for action: BLEError.Action) throws(BLEError) -> AdapterState {
    let adapter = try knownAdapter(for: action)
    try adapter.requirePower(for: action)
    return adapter
  }

  /// Throws if an adapter is off or gone, or BlueZ is away.
  func requireRadio(_ adapterPath: String, for action: BLEError.Action) throws(BLEError) {
    if let outage { throw outage.during(action) }
    if let adapter = client.model.adapters[adapterPath] { return try adapter.requirePower(for: action) }
    _ = try knownAdapter(for: action)
    // Another adapter exists, but it is not the one in use.
    throw BLEError(
      .noAdapter, during: action, "the adapter \(BlueZ.adapterName(ofPath: adapterPath)) is gone")
  }

  /// Returns the device in the model; throws ``BLEError`` when BlueZ forgot it or is away, or its adapter is off or gone.
  func device(_ path: String, for action: BLEError.Action) throws(BLEError) -> DeviceState {
    if let outage { throw outage.during(action) }
    client.model.devices.load(path)
    if let device = client.model.devices[path] { return device }
    try requireRadio(BlueZ.adapterPath(ofDevice: path), for: action)
    throw BLEError(.notFound, during: action, "BlueZ has forgotten the device")
  }

  func isConnected(_ devicePath: String) -> Bool { client.model.devices[devicePath]?.isConnected == true }

  /// Returns the description of a device; nil if it has no address, or the manager is being released.
  func info(_ device: borrowing DeviceState) -> PeripheralInfo? {
    guard let manager else { return nil }
    return PeripheralInfo(device, central: manager)
  }

  func info(of peripheral: Peripheral) throws(BLEError) -> PeripheralInfo {
    let action = BLEError.Action.inspect(peripheral.address)
    if let info = info(try device(peripheral.path, for: action)) { return info }
    throw BLEError(.failed, during: action, "it has no address")
  }

  // MARK: The end

  /// Ends everything without waiting, for a manager that is being released: a shared client stays on the bus.
  func end() {
    agent.postEnd()
    client.withdraw(AgentSession.root)
    sessions.managerReleased()
    reporter.end(because: .managerClosed)
    client.forget(follower)
  }

  /// Ends everything, and leaves the bus.
  func close(because reason: BLEError) async {
    client.beginToLeave()
    await sessions.close()
    ending = reason.closing(after: outage)
    await client.leave(follower, because: reason)
  }
}
