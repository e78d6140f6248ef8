// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld
internal import DBus
internal import PeripheralEmulator

/// The attributes that an adapter offers: the daemon's own, and those of clients, which it asks over the bus.
final class LocalDatabase: AttributeAccess {
  private struct Registered {
    let placed: AttributeTable.Placed
    let subscription: SubscriptionID
  }

  unowned let daemon: DaemonContext
  private let adapterPath: String
  /// Returns the daemon's object of the central with an address.
  private let device: (String) -> DeviceObject?
  private var table = AttributeTable()
  private var applications: [ClientObject: Registered] = [:]
  private(set) var links: [any PeripheralLink] = []
  /// Requests that wait for a client; if their links end, the daemon crashes.
  private var openRequests: [Int: OpenRequest] = [:]
  private var lastRequest = 0

  /// Prepared writes that are not yet executed, by link.
  var preparedRuns: [ObjectIdentifier: [PreparedRun]] = [:]

  /// While true, the daemon hangs: it reads nothing from the sockets of clients.
  var isFrozen = false {
    didSet {
      for attribute in applications.values.flatMap(\.placed.attributes) {
        for socket in attribute.notifySockets.values { socket.isPaused = isFrozen }
      }
    }
  }

  private struct OpenRequest {
    let link: any PeripheralLink
    let deadline: ContinuousClock.Instant
  }

  /// `device` returns the central with an address, whose subscriptions outlive its links if it is bonded.
  init(
    daemon: DaemonContext, adapterPath: String, device: @escaping (String) -> DeviceObject?,
    name: @escaping () -> String
  ) {
    self.device = device
    self.daemon = daemon
    self.adapterPath = adapterPath
    table.add(
      0x1800,
      [(0x2A00, .read, { Array(name().utf8) }), (0x2A01, .read, { [0, 0] })]
        + (daemon.behaviour.hasAddressResolution ? [(0x2AA6, .read, { [0] })] : []))
    table.add(
      0x1801,
      [
        (0x2A05, .indicate, { [] }), (0x2B29, [.read, .write], { [0] }),
        (0x2B2A, .read, { Array(repeating: 0, count: 16) }),
      ])
    table.add(
      0x180A, [(0x2A50, .read, { [0x02, 0x6B, 0x1D, 0x46, 0x02, daemon.behaviour.productVersion, 0x05] })])
  }

  var layout: AttributeLayout { table.layout }

  func source(of handle: UInt16) -> AttributeTable.Source? { table.sources[handle] }

  func contains(_ object: ClientObject) -> Bool { applications[object] != nil }

  var clientServices: [BluetoothUUID] {
    let handles = applications.values.map(\.placed.handles)
    let uuids = table.services.filter { service in handles.contains { $0.contains(Int(service.handle)) } }
      .map(\.uuid)
    return Set(uuids).sorted()
  }

  // MARK: Applications

  func add(_ application: Application) throws(BlueZError) {
    guard let placed = table.add(application) else { throw Application.impossible }
    for attribute in placed.attributes where attribute.wantsHandle {
      daemon.call(
        Message(
          call: "Set", of: StandardInterface.properties, at: attribute.object.path,
          to: application.object.client
        ) {
          $0.string(attribute.interface)
          $0.string("Handle")
          $0.value(.variant(.uint16(attribute.handle)))
        }
      ) { _ in }
    }
    // Without a namespace, which dbus-daemon ignores when it removes a rule: it would remove that of another
    // application of the client.
    let rule = MatchRule(
      sender: application.object.client, interface: StandardInterface.properties, member: "PropertiesChanged")
    let client = application.object.client
    let subscription = daemon.subscribe(rule) { [weak self] message in
      guard message.isSent(by: client) else { return }
      self?.changed(message, placed.attributes)
    }
    applications[application.object] = Registered(placed: placed, subscription: subscription)
    servicesChanged()
  }

  /// Removes the services of a client, and returns whether there were any.
  func remove(_ object: ClientObject) -> Bool {
    guard let application = applications.removeValue(forKey: object) else { return false }
    daemon.unsubscribe(application.subscription)
    for socket in application.placed.attributes.flatMap(\.notifySockets.values) { socket.close() }
    table.remove(application.placed)
    servicesChanged()
    return true
  }

  /// Removes the services of a client that has left the bus, and returns whether there were any.
  func clientLeft(_ name: String) -> Bool {
    let left = applications.keys.filter { $0.client == name }
    return left.map { remove($0) }.contains(true)
  }

  private func servicesChanged() { for link in links { link.servicesChanged() } }

  // MARK: Links

  func opened(_ link: any PeripheralLink) { links.append(link) }

  /// Pairing has revealed the own address of a central: bluetoothd looks for its subscriptions by the one before, and sends
  /// nothing over this link any more.
  func addressChanged(of central: String) {
    for link in links where link.central.address == central {
      for attribute in applications.values.flatMap(\.placed.attributes)
      where attribute.configuration(of: link) != 0 {
        attribute.lostSubscribers.insert(ObjectIdentifier(link))
      }
    }
  }

  func closed(_ link: any PeripheralLink) {
    links.removeAll { $0 === link }
    preparedRuns[ObjectIdentifier(link)] = nil
    for attribute in applications.values.flatMap(\.placed.attributes) {
      attribute.indications[ObjectIdentifier(link)] = nil
      let isLost = attribute.lostSubscribers.remove(ObjectIdentifier(link)) != nil
      let isBonded = device(link.central.address)?.bond.state.isBonded == true
      guard attribute.configuration(of: link) != 0, isLost || !isBonded else { continue }
      configure(attribute, 0, for: link)
      guard daemon.behaviour.endsAllSockets else { continue }
      // The end of one socket ends all; the other centrals are then reached by signals alone.
      for socket in attribute.notifySockets.values { socket.close() }
      attribute.notifySockets = [:]
    }
    // bluetoothd uses freed memory when the request times out, whether or not the client answers.
    for request in openRequests.values where request.link === link {
      daemon.timers.schedule(after: max(.zero, request.deadline - daemon.now)) { [weak self] in
        self?.daemon.onCrash()
      }
    }
    openRequests = openRequests.filter { $0.value.link !== link }
  }

  func path(of link: any PeripheralLink) -> String {
    device(link.central.address)?.path
      ?? "\(adapterPath)/\(BlueZName.deviceElement(link.central.sentAddress))"
  }

  /// Forgets all clients: the daemon was killed and calls none of them any more.
  func abandon() {
    applications = [:]
    openRequests = [:]
  }

  // MARK: Asking clients

  /// Calls a client for a request of a central, with a limit of 5 s.
  func ask(
    _ message: Message, over link: any PeripheralLink,
    then: @escaping (Result<Message, DBusError>) -> Void
  ) {
    lastRequest += 1
    let number = lastRequest
    openRequests[number] = OpenRequest(link: link, deadline: daemon.now + daemon.timing.applicationTimeout)
    daemon.request(message, timeout: daemon.timing.applicationTimeout) { [weak self] outcome in
      // Without its link, no central waits any more.
      guard let self, openRequests.removeValue(forKey: number) != nil else { return }
      then(outcome)
    }
  }
}
