// SPDX-License-Identifier: MIT
internal import BLECentral
internal import DBus

/// Derives findings, and how to fix them, from the facts.
package struct Diagnosis {
  let machine: MachineFacts
  let bus: BusFacts
  /// The name or address of the requested adapter.
  let wantedAdapter: String?

  package init(machine: MachineFacts, bus: BusFacts, wantedAdapter: String? = nil) {
    self.machine = machine
    self.bus = bus
    self.wantedAdapter = wantedAdapter
  }

  /// All findings, in the order of their dependencies.
  package var findings: [Finding] {
    // Over ssh, this machine's user and container are not those that the bus sees.
    var findings = bus.host == nil ? [user] + container : []
    findings.append(busFinding)
    guard bus.failure == nil else { return findings }
    findings.append(service)
    guard let owner = bus.owner else { return findings }
    findings += impostor(owner) + simulator(owner)
    if let refusal { return findings + [refusal] }
    findings.append(Finding(.ok, .policy, "org.bluez accepts our calls"))
    return findings + [version] + faults + radio + cache
  }

  /// True if this machine's files describe the BlueZ in question.
  var isLocal: Bool { bus.isSystemBus && !bus.isOurSimulation }

  // MARK: Us

  private var user: Finding {
    let name = machine.userName.map { " (\($0))" } ?? ""
    let groups = machine.groups.isEmpty ? "" : ", groups \(machine.groups.joined(separator: " "))"
    return Finding(.ok, .user, "we are uid \(machine.userID)\(name)\(groups)")
  }

  private var container: [Finding] {
    if machine.hasForeignUserIDs {
      let place = machine.container.map { "\($0), " } ?? ""
      return [
        Finding(
          .warn, .container,
          "inside \(place)a user namespace: our uid \(machine.userID) is another one outside, which a bus outside may reject",
          fix: namespaceFix)
      ]
    }
    guard let container = machine.container else { return [] }
    return [Finding(.ok, .container, "inside \(container)")]
  }

  private var namespaceFix: String {
    switch machine.container {
    case "podman": "podman run --userns=keep-id …"
    case "docker": "docker run --userns=host …"
    default: "run blectl outside of the namespace, or map your uid to itself"
    }
  }

  // MARK: The bus

  private var busName: String {
    if let host = bus.host { return "the system bus of \(host)" }
    return bus.isSystemBus ? "the system bus" : "the bus \(bus.address)"
  }

  private var busFinding: Finding {
    switch bus.failure {
    case nil: return Finding(.ok, .bus, "\(busName) answers")
    case .missing:
      return Finding(.fail, .bus, "\(busName) cannot be reached: \(bus.words)", fix: missingBusFix)
    case .unattended:
      return Finding(.fail, .bus, "nothing is listening on \(busName): \(bus.words)", fix: startBusFix)
    case .forbidden:
      return Finding(
        .fail, .bus, "\(busName) does not let uid \(machine.userID) in: \(bus.words)",
        fix: "sudo blectl doctor")
    case .rejected:
      return Finding(
        .fail, .bus,
        "\(busName) rejected uid \(machine.userID) (AUTH REJECTED): it does not know this user",
        fix: machine.container == nil && !machine.hasForeignUserIDs
          ? "run blectl as a user that exists on the machine of the bus" : namespaceFix)
    case .silent:
      return Finding(.fail, .bus, "\(busName) did not answer before the timeout", fix: startBusFix)
    case .other: return Finding(.fail, .bus, "\(busName) cannot be used: \(bus.words)", fix: startBusFix)
    }
  }

  private var startBusFix: String {
    bus.isSystemBus ? "sudo systemctl restart dbus" : "give another --bus, or unset DBUS_SYSTEM_BUS_ADDRESS"
  }

  private var missingBusFix: String {
    let socket = "/run/dbus/system_bus_socket"
    guard bus.isSystemBus else { return startBusFix }
    switch machine.container {
    case "docker", "podman":
      return "\(machine.container ?? "docker") run -v \(socket):\(socket) …"
    case "flatpak": return "flatpak run --system-talk-name=org.bluez …"
    case "snap": return "snap connect blectl:bluez"
    default: return "sudo systemctl start dbus"
    }
  }

  // MARK: The service

  private var service: Finding {
    guard let owner = bus.owner else {
      let isMasked = isLocal && machine.unit == .masked
      return Finding(
        .fail, .service,
        "bluetoothd is not running: org.bluez has no owner on the bus\(isMasked ? "; it is masked" : "")",
        fix: startServiceFix)
    }
    var finding = Finding(.ok, .service, "org.bluez is \(owner)")
    finding.owner = owner
    return finding
  }

  private var startServiceFix: String {
    guard isLocal else { return "start bluetoothd on the machine of the bus" }
    switch machine.unit {
    case .masked: return "sudo systemctl unmask bluetooth && sudo systemctl start bluetooth"
    case .missing where !bus.isActivatable: return "sudo apt install bluez"
    case .missing, .present: return "sudo systemctl start bluetooth"
    case .noSystemd: return "sudo service bluetooth start"
    }
  }

  /// A process that takes BlueZ's name receives everything that is read and written.
  ///
  /// On a private bus, such as a simulation's, the bus's own user may own org.bluez.
  private func impostor(_ owner: BusFacts.Owner) -> [Finding] {
    guard let user = owner.userID, user != 0, bus.isSystemBus || user != bus.userID ?? machine.userID else {
      return []
    }
    var finding = Finding(
      .fail, .owner,
      bus.isSystemBus
        ? "org.bluez belongs to uid \(user), not to root: this is not the system's bluetoothd"
        : "org.bluez belongs to uid \(user), neither to root nor to the user of the bus: this is no bluetoothd",
      fix: owner.process.map { "ps -fp \($0)" } ?? "loginctl user-status \(user)")
    finding.owner = owner
    return [finding]
  }

  private func simulator(_ owner: BusFacts.Owner) -> [Finding] {
    if bus.isOurSimulation {
      return [Finding(.ok, .simulator, "BlueZ is simulated, as asked: no radio is used")]
    }
    guard owner.programName == "blectl" else { return [] }
    return [
      Finding(
        .warn, .simulator, "BlueZ is simulated by another blectl: no radio is used",
        fix: "unset DBUS_SYSTEM_BUS_ADDRESS, and leave --bus out")
    ]
  }

  private var refusal: Finding? {
    guard let refusal = bus.refusal else { return nil }
    switch refusal.origin {
    case .timedOut:
      return Finding(
        .fail, .service, "bluetoothd did not answer before the timeout",
        fix: isLocal
          ? "sudo systemctl restart bluetooth"
          : "a longer --timeout; if it never answers, restart bluetoothd on the machine of the bus")
    case .reply where refusal.name == ErrorName.accessDenied:
      let mayJoin = machine.hasBluetoothGroup && !machine.groups.contains("bluetooth")
      return Finding(
        .fail, .policy, "the bus does not let uid \(machine.userID) call org.bluez: \(refusal.message)",
        fix: mayJoin
          ? "sudo usermod -aG bluetooth \(machine.userName ?? "\(machine.userID)"), then log out and back in"
          : "sudo blectl doctor")
    default:
      return Finding(
        .fail, .service, "org.bluez does not list its objects: \(refusal)",
        fix: isLocal ? "sudo systemctl restart bluetooth" : nil)
    }
  }

  private var knownVersion: BlueZVersion? {
    bus.adapters.lazy.compactMap { $0.modalias.flatMap { BlueZVersion(modalias: $0) } }.first
  }

  /// The known faults of bluetoothd, which other programs or devices may bring about.
  private var faults: [Finding] {
    guard let version = knownVersion else { return [] }
    return BlueZFault.all(of: version).map { fault in
      var finding = Finding(.warn, .fault, "BlueZ \(version) \(fault.effect)", fix: fault.advice)
      finding.version = version.description
      return finding
    }
  }

  private var version: Finding {
    guard let known = knownVersion else {
      return Finding(.ok, .version, "BlueZ does not report its version", fix: "bluetoothctl --version")
    }
    var finding = Finding(.ok, .version, "BlueZ \(known)")
    if known < BlueZVersion(major: 5, minor: 62) {
      // Its errors do not reveal why a device refused.
      finding = Finding(
        .warn, .version, "BlueZ \(known), older than 5.62: its errors say less than they might")
    }
    finding.version = known.description
    return finding
  }
}

extension BusFacts.Owner: CustomStringConvertible {
  /// `/usr/libexec/bluetooth/bluetoothd (pid 812, uid 0)`.
  var description: String {
    let numbers = [process.map { "pid \($0)" }, userID.map { "uid \($0)" }].compactMap { $0 }
    return (program ?? "an unknown program")
      + (numbers.isEmpty ? "" : " (\(numbers.joined(separator: ", ")))")
  }
}
