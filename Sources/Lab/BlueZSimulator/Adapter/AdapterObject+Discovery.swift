// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld
internal import DBus
internal import PeripheralEmulator

/// Scanning: the sessions of clients, their filters, and the handling of reports.
extension AdapterObject {
  var isScanning: Bool { discovery.isRunning && isPowered && !isRemoved }
  /// True if the radio listens, for a discovery or for monitors.
  var isListening: Bool { isScanning || (isPowered && !isRemoved && monitors?.isActive ?? false) }

  func startDiscovery(_ call: MethodCall) {
    guard isPowered else { return call.fail(.notReady) }
    guard discovery.sessions[call.sender] == nil else { return call.fail(.busy) }
    if let pending = discovery.pending {
      // BlueZ remembers only one pending start: it never answers an earlier one, whose session is stuck.
      guard discovery.sessions[pending.sender] != nil else { return call.fail(.busy) }
      discovery.stuck.insert(pending.sender)
    }
    discovery.begin(call.sender)
    guard !discovery.isRunning else { return call.reply() }
    discovery.pending = call
    daemon.kernel.send { [weak self] in
      guard let self else { return }
      daemon.timers.schedule(after: daemon.timing.scanStart) { [weak self] in self?.scanStarted(call) }
    }
  }

  private func scanStarted(_ call: MethodCall) {
    guard discovery.pending === call else { return }
    discovery.pending = nil
    guard isPowered, !isRemoved else { return }
    guard discovery.sessions[call.sender] != nil else { return }
    call.reply()
    if silence == .restart { silence = nil }
    setDiscovering(true)
  }

  func stopDiscovery(_ call: MethodCall) {
    guard isPowered else { return call.fail(.notReady) }
    guard discovery.sessions[call.sender] != nil else { return call.fail(.failed("No discovery started")) }
    guard discovery.pending == nil, !discovery.stuck.contains(call.sender) else { return call.fail(.busy) }
    if let filter = discovery.sessions.removeValue(forKey: call.sender)?.filter {
      discovery.presets[call.sender] = filter
    }
    guard discovery.sessions.isEmpty else { return call.reply() }
    discovery.pending = call
    daemon.timers.schedule(after: daemon.timing.scanStart) { [weak self] in
      guard let self, discovery.pending === call else { return }
      discovery.pending = nil
      guard isPowered, !isRemoved else { return }
      lastSessionEnded()
      call.reply()
    }
  }

  func setDiscoveryFilter(_ call: MethodCall) {
    guard isPowered else { return call.fail(.notReady) }
    let filter: ClientDiscoveryFilter?
    do {
      filter = try ClientDiscoveryFilter.parse(call.argument(0), keys: daemon.behaviour.discoveryFilterKeys)
    } catch {
      return call.fail(error)
    }
    if discovery.sessions[call.sender] != nil {
      discovery.sessions[call.sender]?.filter = filter
    } else {
      discovery.presets[call.sender] = filter
    }
    call.reply()
  }

  // MARK: The end of sessions

  func endDiscovery(of client: String) {
    discovery.presets[client] = nil
    discovery.stuck.remove(client)
    guard discovery.sessions.removeValue(forKey: client) != nil, discovery.sessions.isEmpty else { return }
    discovery.pending = nil
    if discovery.isRunning { lastSessionEnded() }
  }

  private func lastSessionEnded() {
    forgetFoundDevices()
    setDiscovering(false)
  }

  /// Clears signal strengths and removes devices that cannot be connected to.
  private func forgetFoundDevices() {
    let found = devices.filter { discovery.found.contains($0.address) }
    discovery.found = []
    for device in found {
      device.discoveryEnded()
      if device.isTemporary, !device.advertised.isConnectable { remove(device) }
    }
  }

  /// Ends all sessions at power-off; clients only see `Discovering` change.
  func discoveryEndedByPower() {
    discovery.sessions = [:]
    discovery.presets = [:]
    discovery.pending = nil
    discovery.stuck = []
    discovery.found = []
    setDiscovering(false)
  }

  func abandonDiscovery() {
    discovery = DiscoveryState()
    daemon.updateListening()
  }

  private func setDiscovering(_ isOn: Bool) {
    discovery.isRunning = isOn
    changed("Discovering")
    daemon.updateListening()
  }

  // MARK: Reports

  func heard(_ peripheral: any RadioPeer, _ report: AdvertisingReport) {
    guard isListening, silence == nil, peripheral.host != spec.address else { return }
    let report = isScanning ? report : report.withoutScanResponse
    let known = device(heardAs: peripheral)
    known?.wasSeen()
    let listeners = monitors?.monitors(for: report) ?? []
    let address = known?.knownAddress ?? peripheral.sentAddress
    let isHidden = isScanning && discovery.hides(address, name: report.name ?? known?.name)
    if daemon.behaviour.diesOfServiceFilter, isScanning, !isHidden, listeners.isEmpty,
      discovery.isFatal(report)
    {
      return daemon.onCrash()
    }
    let isDiscovered = isScanning && !isHidden && discovers(report, known)
    guard isDiscovered || !listeners.isEmpty else {
      if !isHidden || !daemon.behaviour.hidesByPattern { ignored(report, of: peripheral, known) }
      return
    }
    let device = known ?? DeviceObject(peripheral, adapter: self)
    if isDiscovered { discovery.found.insert(device.address) }
    device.take(
      report, anyStrengthChange: discovery.isFiltered, replacesData: discovery.wantsDuplicates)
    if known == nil { add(device) }
    for listener in listeners { monitors?.report(to: listener, found: device) }
  }

  /// Handles a report that no filter accepts.
  ///
  /// Newer releases still export the device if it is connectable, but apply no data; 5.87 does not if a
  /// pattern hides it.
  private func ignored(_ report: AdvertisingReport, of peripheral: any RadioPeer, _ known: DeviceObject?) {
    guard daemon.behaviour.exportsIgnoredDevices, isScanning else { return }
    let isConnectable = report.advertisement.isConnectable
    known?.wasSeen(connectable: isConnectable)
    guard known == nil, isConnectable else { return }
    add(DeviceObject(peripheral, adapter: self))
  }

  private func discovers(_ report: AdvertisingReport, _ known: DeviceObject?) -> Bool {
    guard discovery.accepts(report) else { return false }
    return known != nil || discovery.isFiltered || report.advertisement.isDiscoverable
  }
}

/// The discovery sessions of an adapter and the merged filter for the kernel.
struct DiscoveryState {
  var isRunning = false
  /// The sessions, by the bus names of their clients.
  var sessions: [String: Session] = [:]
  /// The filters of clients without a session.
  var presets: [String: ClientDiscoveryFilter] = [:]
  /// A start or stop that waits for the kernel.
  var pending: MethodCall?
  /// Clients whose start was lost because another started before the reply: they can neither stop nor start.
  var stuck: Set<String> = []
  var found: Set<String> = []

  private var lastNumber = 0

  struct Session {
    var filter: ClientDiscoveryFilter?
    /// Higher for sessions that started later.
    let number: Int
  }

  /// Starts the session of a client, with the filter that it set before.
  mutating func begin(_ client: String) {
    lastNumber += 1
    sessions[client] = Session(filter: presets.removeValue(forKey: client), number: lastNumber)
  }

  /// True if every session has a filter, so that devices which are not discoverable are reported, too.
  var isFiltered: Bool { !sessions.isEmpty && sessions.values.allSatisfy { $0.filter != nil } }

  var wantsDuplicates: Bool { sessions.values.contains { $0.filter?.duplicateData ?? false } }

  /// The kernel's minimum signal strength: the lowest of all clients, or none if a client has none.
  private var floor: Int16? {
    let floors = sessions.values.map { $0.filter?.rssi }
    return floors.contains(nil) ? nil : floors.compactMap(\.self).min()
  }

  /// Returns whether a pattern hides a device from all clients: some client has one, and none matches.
  func hides(_ address: String, name: String?) -> Bool {
    let patterns = sessions.values.compactMap(\.filter).filter { $0.pattern != nil }
    return !patterns.isEmpty && !patterns.contains { $0.matchesPattern(address: address, name: name) }
  }

  /// Returns whether a report passes the merged filters, apart from patterns.
  func accepts(_ report: AdvertisingReport) -> Bool {
    // While the last session stops, its filter is gone but the radio still listens.
    guard !sessions.isEmpty, isHeard(report) else { return false }
    return !isFiltered || sessions.values.contains { $0.filter?.accepts(report) ?? false }
  }

  /// Returns whether the kernel passes a report on.
  private func isHeard(_ report: AdvertisingReport) -> Bool {
    guard isFiltered, let floor else { return true }
    return report.rssi >= floor
  }

  /// Returns whether a report crashes bluetoothd 5.87, which calls a UUID of a filter like a function.
  ///
  /// It asks the filter of the newest session first, and asks no other once a filter accepts.
  func isFatal(_ report: AdvertisingReport) -> Bool {
    guard isFiltered, isHeard(report), !report.advertisement.services.isEmpty else { return false }
    let newest = sessions.values.max { $0.number < $1.number }
    return newest?.filter?.services.isEmpty == false
  }
}

struct ClientDiscoveryFilter: Equatable {
  var services: Set<BluetoothUUID> = []
  var rssi: Int16?
  var pathloss: UInt16?
  var duplicateData = false
  var pattern: String?

  /// Parses the argument of SetDiscoveryFilter, or refuses it as the daemon does; nil for an empty filter.
  static func parse(
    _ value: DBusValue?, keys: [String]
  ) throws(BlueZError) -> ClientDiscoveryFilter? {
    guard case .dictionary(_, _, let entries) = value else { throw .invalidArguments }
    if entries.isEmpty { return nil }
    var filter = ClientDiscoveryFilter()
    for entry in entries {
      let key = entry.key.text ?? ""
      guard keys.contains(key) else { throw .invalidArguments }
      try filter.take(key, entry.value.unwrapped)
    }
    guard filter.rssi == nil || filter.pathloss == nil else { throw .invalidArguments }
    return filter
  }

  private mutating func take(_ key: String, _ value: DBusValue) throws(BlueZError) {
    switch (key, value) {
    case ("UUIDs", .array("s", let elements)):
      for element in elements {
        guard let uuid = BluetoothUUID(bluez: element.text ?? "") else { throw .invalidArguments }
        services.insert(uuid)
      }
    case ("RSSI", .int16(let floor)) where (-127...20).contains(floor): rssi = floor
    case ("Pathloss", .uint16(let limit)) where limit <= 137: pathloss = limit
    case ("Transport", .string("auto")), ("Transport", .string("le")), ("Transport", .string("bredr")): break
    case ("DuplicateData", .boolean(let wanted)): duplicateData = wanted
    case ("Discoverable", .boolean), ("AutoConnect", .boolean): break
    case ("Pattern", .string(let text)): pattern = text
    default: throw .invalidArguments
    }
  }

  /// Returns whether the filter accepts a report.
  ///
  /// As in bluetoothd, path loss is ignored, and signal strength is checked for all clients together.
  func accepts(_ report: AdvertisingReport) -> Bool {
    services.isEmpty || !services.isDisjoint(with: report.advertisement.services)
  }

  func matchesPattern(address: String, name: String?) -> Bool {
    guard let pattern else { return true }
    return address.hasPrefix(pattern) || (name?.hasPrefix(pattern) ?? false)
  }
}
