// SPDX-License-Identifier: MIT
public import AsyncIO
public import BlueZClient
public import Logging

/// The peripheral role of this machine: services that centrals read, write and subscribe to, and
/// advertisements.
///
/// The equivalent in CoreBluetooth is `CBPeripheralManager`. BlueZ: `GattManager1` and
/// `LEAdvertisingManager1` of an adapter.
///
/// ```swift
/// let manager = try await PeripheralManager()
/// let service = try await manager.add(
///   LocalService(.heartRate, [LocalCharacteristic(.heartRateMeasurement, [.read, .notify], value: [0, 60])]))
/// try await manager.startAdvertising(Advertisement(name: "Desk", services: [.heartRate]))
/// try await service.characteristics[0].send([0, 72])
/// ```
///
/// Services and advertisements survive an absence of bluetoothd or the adapter. They last until they are
/// removed, or the manager is closed or released.
public actor PeripheralManager: LoopActor {
  nonisolated let client: BlueZClient
  /// The event loop that runs the manager.
  package nonisolated var loop: EventLoop { client.loop }
  /// The executor of the manager's event loop.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.actorExecutor }

  /// An executor for short tasks that send many values or follow many events: the thread that reads the bus.
  ///
  /// From other threads, each ``PublishedCharacteristic/update(_:)`` goes to that thread and back. While a
  /// task runs here, nothing is read and no request is answered: it must not block or compute for long.
  /// Sending yields after every 256 values.
  public nonisolated var taskExecutor: any TaskExecutor { loop }

  /// The manager's number among the client's followers.
  private var follower = 0
  private let centrals: Centrals
  let events = EventHub()
  let registrar: Registrar
  private let requests: RequestHandler
  private var lastState: BluetoothState?
  /// Ends everything, for a manager that is being released.
  private var ending: @Sendable () -> Void = {}

  /// Connects to BlueZ.
  ///
  /// - Parameters:
  ///   - bus: the bus that BlueZ is on.
  ///   - adapter: `hci0`, or an address; nil takes the first that is on, else the first.
  ///   - timeout: how long the bus and BlueZ may take to answer; nil sets no limit.
  ///   - logger: the log: `trace` for the messages from and to BlueZ, `debug` for anything unusual.
  /// - Throws: ``BLEError`` with code `busUnavailable`, `accessDenied` or `timedOut`.
  public init(
    bus: Bus = .system, adapter: String? = nil, timeout: Duration? = .seconds(20),
    logger: Logger = Logger(label: "BLEPeripheral") { _ in SwiftLogNoOpLogHandler() }
  ) async throws(BLEError) {
    try await self.init(
      bus: bus.resolved, adapter: adapter, timeout: timeout, logger: logger, loop: .shared)
  }

  /// Connects on a loop that the caller runs.
  package init(
    bus: Bus, of host: BusHost? = nil, adapter: String?, timeout: Duration?, logger: Logger, loop: EventLoop
  ) async throws(BLEError) {
    await self.init(
      sharing: try await BlueZClient(
        bus: bus, of: host, adapter: adapter, keepsAdvertisements: false, timeout: timeout, logger: logger,
        loop: loop))
  }

  /// Makes a manager that uses an existing client, which a `CentralManager` may share.
  ///
  /// - Parameter client: the client.
  public init(sharing client: BlueZClient) async {
    self.client = client
    centrals = Centrals(client)
    registrar = Registrar(client, events)
    requests = RequestHandler(client, centrals, events)
    events.begin(for: self)
    follower = await client.follow(handler { $0.follow($1) })
    lastState = state
    centrals.everythingChanged()
    ending = loop.confined { [requests, registrar, events, client, follower] in
      requests.expireAll()
      registrar.close()
      events.end(.managerClosed)
      client.forget(follower)
    }
  }

  /// The time limit for a program's answer to a request.
  package static let answerTime = Duration.milliseconds(500)

  /// Ends everything without waiting: a shared client stays on the bus.
  ///
  /// Not `isolated`: Swift 6.3 does not compile that in other modules with cross-module optimization ("circular reference").
  deinit { client.loop.submit(ending) }

  // MARK: State

  /// The state of Bluetooth: usable, or the reason for which it is not.
  public var state: BluetoothState { registrar.state }

  /// The address of the adapter in use, to which centrals connect; nil if there is none.
  public var adapterAddress: BluetoothAddress? {
    usedAdapter.flatMap { BluetoothAddress($0.address) }
  }

  /// The centrals that are connected to the adapter in use.
  ///
  /// BlueZ does not report which side began a link: devices that this machine connected to count, too.
  public var connectedCentrals: [Central] { connectedCentrals(in: client.model) }

  private func connectedCentrals(in model: ObjectModel) -> [Central] {
    guard let adapter = registrar.adapter(in: model) else { return [] }
    return model.devices.connected.filter { BlueZ.adapterPath(ofDevice: $0.path) == adapter.path }
      .compactMap { Central($0) }
  }

  /// The adapter in use, chosen as in ``init(bus:adapter:timeout:logger:)``; nil without one.
  package var adapterInUse: (name: String, address: BluetoothAddress?)? {
    usedAdapter.map { ($0.identifier, BluetoothAddress($0.address)) }
  }

  /// The version of BlueZ; nil if DeviceID in main.conf hides it.
  package var blueZVersion: BlueZVersion? { usedAdapter?.version }

  /// The adapter that has the services and advertisements, even while it is off.
  private var usedAdapter: AdapterState? { registrar.adapter(in: client.model) }

  // MARK: Events

  /// Returns all events from now on.
  ///
  /// - Parameter capacity: how many events may wait for the reader; more are dropped and counted.
  /// - Returns: the events; they throw ``BLEError`` with code `busUnavailable` when the bus is lost, and
  ///   `cancelled` when the manager is closed.
  public func events(capacity: Int = 65_536) -> PeripheralEvents {
    let source = BatchSource<PeripheralEvent>(capacity: capacity, loop: loop) {
      PeripheralEvent(kind: .missed($0), time: .now)
    }
    let lease = Lease(on: loop) { [weak events] in events?.remove(source) }
    events.add(source)
    if let outage = registrar.outage, outage.isFinal { source.end(outage) }
    return PeripheralEvents(source) { () throws(BLEError) in lease }
  }

  // MARK: Services

  /// Publishes a service, and returns when centrals can find it; the adapter may be off.
  ///
  /// BlueZ: `GattManager1.RegisterApplication`. Connected centrals get an indication that the services
  /// changed.
  ///
  /// - Parameters:
  ///   - service: the service.
  ///   - timeout: how long BlueZ may take; nil sets no limit.
  /// - Returns: the published service, which can be updated and removed.
  /// - Throws: ``BLEError``: `invalidDefinition` or `invalidLength` with the fault in the service;
  ///   `serviceUnavailable`, `noAdapter`, `timedOut` …
  @discardableResult
  public func add(
    _ service: LocalService, timeout: Duration? = .seconds(20)
  ) async throws(BLEError) -> PublishedService {
    try await add([service], timeout: timeout)[0]
  }

  /// Publishes services together, with those that they include, and returns when centrals can find them.
  ///
  /// A service that several of them include is published once. BlueZ knows an included service only if it comes
  /// first, so two services cannot include each other.
  ///
  /// - Parameters:
  ///   - services: the services, in the order of their handles.
  ///   - timeout: how long BlueZ may take; nil sets no limit.
  /// - Returns: the services, in the order in which they were given; removing one removes all.
  /// - Throws: ``BLEError``, as for one service.
  @discardableResult
  public func add(
    _ services: [LocalService], timeout: Duration? = .seconds(20)
  ) async throws(BLEError) -> [PublishedService] {
    guard let first = services.first else { return [] }
    let operation = Operation(.publish(first.uuid), timeout: timeout)
    var check = ServiceCheck(operation)
    for service in services { try check.check(service) }
    let publication = Publication(
      services, number: registrar.nextNumber(), client, centrals, requests, events)
    try await registrar.add(publication, operation)
    return services.map { service in
      let (own, included) = publication.characteristics(of: service)
      return PublishedService(
        manager: self, uuid: service.uuid, characteristics: own.map { PublishedCharacteristic($0, of: self) },
        includedCharacteristics: included.map { PublishedCharacteristic($0, of: self) },
        number: publication.number, id: service.id)
    }
  }

  /// Removes a published service, with those that were published together with it; BlueZ: `UnregisterApplication`.
  ///
  /// - Parameters:
  ///   - service: the service; an already removed one is ignored.
  ///   - timeout: how long BlueZ may take; nil sets no limit.
  /// - Throws: ``BLEError``; the service is removed anyway.
  public func remove(_ service: PublishedService, timeout: Duration? = .seconds(20)) async throws(BLEError) {
    try await registrar.remove(service.number, Operation(.unpublish(service.uuid), timeout: timeout))
  }

  // MARK: Following BlueZ

  private func follow(_ change: BlueZClient.Change) {
    switch change {
    case .objects(let changes): for change in changes { follow(change) }
    case .lost(_, let model): endEverything(in: model)
    case .everything: everythingChanged()
    }
  }

  private func follow(_ change: ObjectModel.Change) {
    switch change {
    case .adapter:
      stateMayHaveChanged()
      registrar.restore()
    case .adapterRemoved(let path):
      registrar.lose { $0.adapterPath == path }
      stateMayHaveChanged()
      registrar.restore()
    case .linkOpened(let path):
      if let device = client.model.devices[path] { linkOpened(to: device) }
    case .linkLost(let path):
      if let device = client.model.devices[path] { linkLost(to: device, isBonded: device.isBonded) }
    case .deviceRemoved(let device):
      // BlueZ removes the keys together with the device.
      if device.isConnected { linkLost(to: device, isBonded: false) }
    case .device(let path, _): if centrals.takeNewAddress(path) { addressChanged(of: path) }
    case .deviceAdded, .attributes, .services, .attributeRemoved, .value: break
    }
  }

  private func linkOpened(to device: DeviceState) {
    centrals.connected(device.path)
    if isOnUsedAdapter(device), let central = Central(device) { events.report(.connected(central)) }
    followSubscriptions(of: device.path, isBonded: device.isBonded, isConnected: true)
  }

  private func linkLost(to device: DeviceState, isBonded: Bool) {
    centrals.disconnected(device.path)
    requests.disconnected(device.path)
    followSubscriptions(of: device.path, isBonded: isBonded, isConnected: false)
    if isOnUsedAdapter(device), let central = Central(device) { events.report(.disconnected(central)) }
  }

  /// The last version of bluetoothd that is known to lose the subscriptions of a central that pairs with a private address.
  private static let lastThatLosesSubscriptions = BlueZVersion(major: 5, minor: 87)

  private func addressChanged(of central: String) {
    if let version = blueZVersion, version > Self.lastThatLosesSubscriptions { return }
    for characteristic in publishedCharacteristics { characteristic.addressChanged(of: central) }
  }

  private var publishedCharacteristics: [NotifyingAttribute] {
    registrar.items(Publication.self).flatMap(\.allCharacteristics)
  }

  private func followSubscriptions(of central: String, isBonded: Bool, isConnected: Bool) {
    for characteristic in publishedCharacteristics {
      characteristic.follow(central, isBonded: isBonded, isConnected: isConnected)
    }
  }

  private func isOnUsedAdapter(_ device: DeviceState) -> Bool {
    usedAdapter?.path == BlueZ.adapterPath(ofDevice: device.path)
  }

  // MARK: Outages

  /// Handles a new snapshot of BlueZ's objects, or the absence of BlueZ.
  private func everythingChanged() {
    stateMayHaveChanged()
    // All were reported as disconnected when bluetoothd ended; a link may have survived that, or be new.
    centrals.everythingChanged()
    for central in connectedCentrals { events.report(.connected(central)) }
    registrar.restore()
    if let outage = registrar.outage, outage.isFinal { events.end(outage) }
  }

  /// Ends everything that depends on bluetoothd, but keeps services and advertisements.
  private func endEverything(in model: ObjectModel) {
    for central in connectedCentrals(in: model) { events.report(.disconnected(central)) }
    registrar.lose { _ in true }
    requests.abandonAll()
  }

  private func stateMayHaveChanged() {
    let state = state
    guard state != lastState else { return }
    lastState = state
    if state != .poweredOn { registrar.interrupted() }
    events.report(.state(state))
    registrar.reportIfRestored()
  }

  // MARK: The end

  /// Stops advertising, removes the services, and leaves the bus.
  ///
  /// BlueZ keeps the links: centrals see the services disappear. The manager cannot be used afterwards.
  public func close() async {
    // In a separate task: the caller's may be cancelled.
    await Task(executorPreference: loop) { await self.shutDown() }.value
  }

  private func shutDown() async {
    requests.expireAll()
    registrar.close()
    await client.leave(follower, because: .managerClosed)
  }
}
