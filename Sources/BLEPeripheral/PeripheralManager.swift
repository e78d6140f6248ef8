// SPDX-License-Identifier: MIT
package import AsyncIO
public import BlueZClient
public import Logging

/// The peripheral side of this machine: services that centrals read, write and subscribe to, and advertisements.
///
/// CoreBluetooth calls it `CBPeripheralManager`. BlueZ: `GattManager1` and `LEAdvertisingManager1` of an adapter.
///
/// ```swift
/// let manager = try await PeripheralManager()
/// let service = try await manager.add(
///   LocalService(.heartRate, [LocalCharacteristic(.heartRateMeasurement, [.read, .notify], value: [0, 60])]))
/// try await manager.startAdvertising(Advertisement(name: "Desk", services: [.heartRate]))
/// try await service.characteristics[0].send([0, 72])
/// ```
///
/// What is published and advertised stays so when bluetoothd or the adapter goes away and comes back, until it is
/// removed, or the manager is closed or released.
public actor PeripheralManager {
  /// The client of BlueZ: the connection, the model, the outages.
  nonisolated let client: BlueZClient
  /// The loop that everything of this manager runs on.
  package nonisolated var loop: EventLoop { client.loop }
  /// The executor of its event loop.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.actorExecutor }

  /// An executor for short tasks that send many values, or follow many events: the thread that reads the bus.
  ///
  /// Elsewhere, each ``PublishedCharacteristic/update(_:)`` goes to that thread and back. While a task runs here, nothing is
  /// read and no request is answered: it must not block or compute for long. Sending gives way after every 256 values.
  public nonisolated var taskExecutor: any TaskExecutor { loop }

  var model: ObjectModel {
    _read { yield client.model }
    _modify { yield &client.model }
  }
  /// The manager's number among those that follow the client.
  private(set) var follower = 0
  /// Why the manager is closed.
  var ending: BLEError?
  /// Why nothing can be done at present.
  var outage: BLEError? { ending ?? client.assumeIsolated { $0.outage } }
  /// The unique name of bluetoothd.
  var owner: String? { client.assumeIsolated { $0.owner } }
  /// The paths of the devices with a link, that of the most recent request last.
  var recentCentrals: [String] = []
  var publications: [Int: Publication] = [:]
  var advertisers: [Int: Advertiser] = [:]
  /// The calls of bluetoothd that wait for an asynchronous handler, by number.
  var openRequests: [Int: OpenRequest] = [:]
  /// Whether something was off the air since ``PeripheralEvent/Kind/restored`` was last reported.
  var isIncomplete = false
  /// Tries again to restore what BlueZ has refused.
  var retryTimer: TimerID?
  private var lastState: BluetoothState?
  private var watchers: [BatchSource<PeripheralEvent>] = []

  /// Connects to BlueZ.
  ///
  /// - Parameters:
  ///   - bus: the bus that BlueZ is on.
  ///   - adapter: `hci0`, or an address; nil takes the first that is on, else the first.
  ///   - timeout: how long bus and BlueZ may take to answer; nil is without limit.
  ///   - logger: gets the traffic with BlueZ at level `trace`, and what is odd at `debug`.
  /// - Throws: ``BLEError`` with code `busUnavailable`, `accessDenied` or `timedOut`.
  public init(
    bus: Bus = .system, adapter: String? = nil, timeout: Duration? = .seconds(20),
    logger: Logger = Logger(label: "BLEPeripheral") { _ in SwiftLogNoOpLogHandler() }
  ) async throws(BLEError) {
    try await self.init(
      bus: bus.resolved, adapter: adapter, timeout: timeout, logger: logger, loop: .shared)
  }

  /// Does the same on a loop that the caller runs.
  package init(
    bus: Bus, adapter: String?, timeout: Duration?, logger: Logger, loop: EventLoop
  ) async throws(BLEError) {
    await self.init(
      sharing: try await BlueZClient(
        bus: bus, adapter: adapter, keepsAdvertisements: false, timeout: timeout, logger: logger, loop: loop))
  }

  /// Makes a manager over a client that is already there, which a `CentralManager` may share.
  ///
  /// - Parameter client: the client.
  public init(sharing client: BlueZClient) async {
    self.client = client
    follower = await client.follow { [weak self] change in self?.assumeIsolated { $0.follow(change) } }
    lastState = state
    recentCentrals = model.devices.connected.map(\.path)
  }

  deinit { client.forget(follower) }

  /// A number that no other service or advertisement of the client has.
  func nextNumber() -> Int { client.assumeIsolated { $0.nextNumber() } }

  // MARK: State

  /// Whether Bluetooth can be used now.
  public var state: BluetoothState { BluetoothState(outage, usedAdapter) }

  /// The address of the adapter in use, at which centrals connect; nil while there is none.
  public var adapterAddress: BluetoothAddress? {
    usedAdapter.flatMap { BluetoothAddress($0.address) }
  }

  /// The centrals that are connected to the adapter in use.
  ///
  /// BlueZ does not say who began a link: a device that this machine has connected to counts, too.
  public var connectedCentrals: [Central] { connectedCentrals(in: model) }

  func connectedCentrals(in model: ObjectModel) -> [Central] {
    guard let adapter = usedAdapter(in: model) else { return [] }
    return model.devices.connected.filter { BlueZ.adapterPath(ofDevice: $0.path) == adapter.path }
      .compactMap { Central($0) }
  }

  /// The adapter in use, which is that of ``init(bus:adapter:timeout:logger:)``; nil without one.
  package var adapterInUse: (name: String, address: BluetoothAddress?)? {
    usedAdapter.map { ($0.identifier, BluetoothAddress($0.address)) }
  }

  /// The version of BlueZ; nil where DeviceID in main.conf hides it.
  package var blueZVersion: BlueZVersion? { usedAdapter?.version }

  /// That which has what is published and advertised, also while it is off.
  var usedAdapter: AdapterState? { usedAdapter(in: model) }

  private func usedAdapter(in model: ObjectModel) -> AdapterState? {
    let registration =
      publications.values.lazy.compactMap(\.registration).first
      ?? advertisers.values.lazy.compactMap(\.registration).first
    return registration.flatMap { model.adapters[$0.adapterPath] }
      ?? client.adapterChoice.first(of: model.adapters.values)
  }

  func knownAdapter(for action: BLEError.Action) throws(BLEError) -> AdapterState {
    if let ending { throw ending.during(action) }
    return try client.assumeIsolated { $0.adapterInUse(for: action) }.get()
  }

  /// Runs `body` in a task of its own, which is not cancelled with the caller's.
  @discardableResult
  func inBackground(
    _ body: @escaping @Sendable (isolated PeripheralManager) async -> Void
  ) -> Task<Void, Never> {
    Task(executorPreference: loop) { await body(self) }
  }

  func stateMayHaveChanged() {
    let state = state
    guard state != lastState else { return }
    lastState = state
    if state != .poweredOn { isIncomplete = true }
    report(.state(state))
    reportIfRestored()
  }

  // MARK: Events

  /// Everything that happens from now on.
  ///
  /// - Parameter capacity: how many events may wait for the reader; more are dropped, and their number is reported.
  /// - Returns: the events; they throw ``BLEError`` with code `busUnavailable` when the bus is lost, and `cancelled` when
  ///   the manager is closed.
  public func events(capacity: Int = 65_536) -> PeripheralEvents {
    let source = BatchSource<PeripheralEvent>(capacity: capacity, loop: loop) {
      PeripheralEvent(kind: .missed($0), time: .now)
    }
    let lease = Lease { [weak self, loop] in
      loop.submit { [weak self] in self?.assumeIsolated { $0.remove(source) } }
    }
    watchers.append(source)
    if let outage, outage.isFinal { source.end(outage) }
    return PeripheralEvents(source) { () throws(BLEError) in lease }
  }

  private func remove(_ watcher: BatchSource<PeripheralEvent>) { watchers.removeAll { $0 === watcher } }

  func report(_ kind: PeripheralEvent.Kind) {
    guard !watchers.isEmpty else { return }
    let event = PeripheralEvent(kind: kind, time: .now)
    for watcher in watchers { watcher.send(event) }
  }

  func endEvents(_ error: BLEError) {
    for watcher in watchers { watcher.end(error) }
    watchers = []
  }
}
