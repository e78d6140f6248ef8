// SPDX-License-Identifier: MIT
internal import DBus

/// Passive scanning (`AdvertisementMonitorManager1`): calls registered objects of clients for matching reports.
final class MonitorManager: ExportedInterface {
  struct Monitor {
    let client: String
    let path: String
    let patterns: [MonitorPattern]
  }

  let description = InterfaceDescription(
    name: BlueZName.monitorManager,
    methods: [.init("RegisterMonitor", ["application:o"]), .init("UnregisterMonitor", ["application:o"])],
    properties: [.init("SupportedMonitorTypes", "as"), .init("SupportedFeatures", "as")])

  private unowned let adapter: AdapterObject
  private var applications: [ClientObject: [Monitor]] = [:]
  private var subscriptions: [ClientObject: SubscriptionID] = [:]

  /// The number of patterns from which BlueZ 5.66 writes past a buffer.
  private static let fatalPatternCount = 8

  init(_ adapter: AdapterObject) { self.adapter = adapter }

  var isActive: Bool { applications.values.contains { !$0.isEmpty } }

  func value(of property: String) -> DBusValue? {
    property == "SupportedMonitorTypes" ? .strings(["or_patterns"]) : .strings([])
  }

  func perform(_ method: String, _ call: MethodCall) {
    let application = ClientObject(namedBy: call)
    if method == "RegisterMonitor" { register(application, call) } else { unregister(application, call) }
  }

  // MARK: Registering

  private func register(_ application: ClientObject, _ call: MethodCall) {
    guard applications[application] == nil else { return call.fail(.alreadyExists) }
    applications[application] = []
    adapter.daemon.call(application.objectsRequest) { [weak self] reply in
      guard let self, applications[application] != nil else { return }
      take(reply?.values.first, of: application, call)
    }
  }

  /// An application that the client does not export has no monitors, as in BlueZ.
  private func take(_ objects: DBusValue?, of application: ClientObject, _ call: MethodCall) {
    var found: [Monitor] = []
    if case .dictionary(_, _, let entries) = objects {
      for entry in entries {
        guard let monitor = monitor(at: entry.key.text ?? "", entry.value, of: application) else { continue }
        if monitor.patterns.count >= MonitorManager.fatalPatternCount { return adapter.daemon.onCrash() }
        found.append(monitor)
      }
    }
    follow(application)
    call.reply()
    for monitor in found { start(monitor, of: application) }
  }

  private func monitor(at path: String, _ interfaces: DBusValue, of application: ClientObject) -> Monitor? {
    guard path.hasPrefix(application.path), let properties = interfaces[BlueZName.monitor] else { return nil }
    return Monitor(
      client: application.client, path: path, patterns: MonitorPattern.parse(properties) ?? [])
  }

  /// Starts listening for a monitor, or releases an invalid one.
  private func start(_ monitor: Monitor, of application: ClientObject) {
    if monitor.patterns.isEmpty { return send(monitor, "Release") }
    applications[application]?.append(monitor)
    send(monitor, "Activate")
    adapter.daemon.updateListening()
  }

  /// Follows monitors that a client exports or removes after registration.
  private func follow(_ application: ClientObject) {
    let rule = MatchRule(
      sender: application.client, interface: StandardInterface.objectManager, path: application.path)
    subscriptions[application] = adapter.daemon.subscribe(rule) { [weak self] message in
      self?.heard(message, of: application)
    }
  }

  private func heard(_ message: Message, of application: ClientObject) {
    let arguments = message.values
    guard applications[application] != nil, arguments.count == 2, let path = arguments[0].text else { return }
    switch message.member {
    case "InterfacesAdded":
      guard let monitor = monitor(at: path, arguments[1], of: application) else { return }
      if monitor.patterns.count >= MonitorManager.fatalPatternCount { return adapter.daemon.onCrash() }
      start(monitor, of: application)
    case "InterfacesRemoved":
      applications[application]?.removeAll { $0.path == path }
      adapter.daemon.updateListening()
    default: break
    }
  }

  private func unfollow(_ isLeft: (ClientObject) -> Bool) {
    for (application, id) in subscriptions where isLeft(application) {
      subscriptions[application] = nil
      adapter.daemon.unsubscribe(id)
    }
  }

  private func unregister(_ application: ClientObject, _ call: MethodCall) {
    guard let monitors = applications.removeValue(forKey: application) else {
      return call.fail(.doesNotExist)
    }
    unfollow { $0 == application }
    for monitor in monitors { send(monitor, "Release") }
    call.reply()
    adapter.daemon.updateListening()
  }

  func clientLeft(_ name: String) {
    guard applications.keys.contains(where: { $0.client == name }) else { return }
    applications = applications.filter { $0.key.client != name }
    unfollow { $0.client == name }
    adapter.daemon.updateListening()
  }

  /// Releases all monitors, but keeps their applications registered.
  func releaseAll() {
    for (application, monitors) in applications {
      applications[application] = []
      for monitor in monitors { send(monitor, "Release") }
    }
    adapter.daemon.updateListening()
  }

  // MARK: Reports

  func monitors(for report: AdvertisingReport) -> [Monitor] {
    applications.values.joined().filter { $0.patterns.contains { $0.matches(report) } }
  }

  func report(to monitor: Monitor, found device: DeviceObject) {
    send(monitor, "DeviceFound") { $0.objectPath(device.path) }
  }

  private func send(
    _ monitor: Monitor, _ method: String, _ body: (inout MessageWriter) -> Void = { _ in }
  ) {
    let message = Message(call: method, of: BlueZName.monitor, at: monitor.path, to: monitor.client, body)
    message.expectNoReply()
    adapter.daemon.tree.send(message)
  }
}

/// A pattern of a monitor: bytes at an offset of an advertisement field.
struct MonitorPattern {
  let offset: Int
  let type: UInt8
  let bytes: [UInt8]

  /// Parses the patterns of a monitor's object; returns nil if the daemon would refuse them.
  static func parse(_ properties: DBusValue) -> [MonitorPattern]? {
    guard properties["Type"]?.text == "or_patterns",
      case .array("(yyay)", let elements) = properties["Patterns"]
    else { return nil }
    let patterns = elements.compactMap { MonitorPattern($0) }
    return patterns.isEmpty || patterns.count < elements.count ? nil : patterns
  }

  private init?(_ value: DBusValue) {
    guard case .structure(let fields) = value, fields.count == 3, case .byte(let offset) = fields[0],
      case .byte(let type) = fields[1], case .bytes(let bytes) = fields[2],
      !bytes.isEmpty, Int(offset) + bytes.count <= 31, (0x01...0x3D).contains(type) || type == 0xFF
    else { return nil }
    self.offset = Int(offset)
    self.type = type
    self.bytes = bytes
  }

  func matches(_ report: AdvertisingReport) -> Bool {
    report.fields.contains { field in
      field.type == type && field.bytes.dropFirst(offset).starts(with: bytes)
    }
  }
}
