// SPDX-License-Identifier: MIT
internal import Glibc
internal import TerminalOutput

/// Facts from this machine's files: its user, its radios and its Bluetooth service.
package struct MachineFacts: Sendable, Hashable {
  /// The state of `bluetooth.service` in systemd.
  enum Unit: Sendable, Hashable {
    /// systemd is not running here.
    case noSystemd
    case missing
    case present
    /// Linked to /dev/null, so that nothing can start it.
    case masked
  }

  struct Radio: Sendable, Hashable {
    /// The adapter, such as `hci0`, or another name that the driver chose.
    var name: String
    /// Blocked by software; `rfkill unblock` unblocks it.
    var isSoftBlocked = false
    /// Blocked by a switch or key of the machine.
    var isHardBlocked = false
  }

  var userID: UInt32 = 0
  var userName: String?
  /// The names of the process's groups; numbers for those without a name.
  var groups: [String] = []
  /// True if there is a group `bluetooth`, which some distributions' bus policies require.
  var hasBluetoothGroup = false
  /// The container, such as `docker`, `podman`, `snap`, `flatpak` or `WSL`.
  var container: String?
  /// True if user ids outside the container differ from those inside.
  var hasForeignUserIDs = false
  var unit = Unit.present
  var radios: [Radio] = []
  var controllers: [String] = []
  /// The number of devices with cached services in BlueZ; nil if the directory cannot be read.
  var cachedDevices: Int?
}

extension MachineFacts {
  init(
    _ files: SystemFiles, userID: UInt32, groupIDs: [UInt32], environment: (String) -> String?
  ) {
    self.userID = userID
    userName = MachineFacts.name(of: userID, in: files.text("/etc/passwd"))
    let groupFile = files.text("/etc/group")
    groups = groupIDs.map { MachineFacts.name(of: $0, in: groupFile) ?? "\($0)" }
    hasBluetoothGroup = groupFile?.split(separator: "\n").contains { $0.hasPrefix("bluetooth:") } ?? false
    container = MachineFacts.container(files, environment)
    hasForeignUserIDs = files.text("/proc/self/uid_map").map(MachineFacts.isForeign) ?? false
    unit = MachineFacts.unit(files)
    radios = MachineFacts.radios(files)
    controllers = (files.names(in: "/sys/class/bluetooth") ?? []).filter {
      $0.hasPrefix("hci") && !$0.contains(":")
    }
    cachedDevices = MachineFacts.cachedDevices(files)
  }

  package static func read() -> MachineFacts {
    var groups = [gid_t](repeating: 0, count: max(0, Int(getgroups(0, nil))))
    let count = getgroups(Int32(groups.count), &groups)
    groups = Array(groups.prefix(max(0, Int(count))))
    if !groups.contains(getegid()) { groups.insert(getegid(), at: 0) }
    return MachineFacts(
      SystemFiles(), userID: geteuid(), groupIDs: groups, environment: Console.environment)
  }

  /// Returns the name of an id in lines `name:x:ID:…`.
  private static func name(of id: UInt32, in text: String?) -> String? {
    for line in text?.split(separator: "\n") ?? [] {
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      if fields.count > 2, fields[2] == "\(id)" { return String(fields[0]) }
    }
    return nil
  }

  private static func container(_ files: SystemFiles, _ environment: (String) -> String?) -> String? {
    if files.exists("/.flatpak-info") { return "flatpak" }
    if environment("SNAP").map({ !$0.isEmpty }) ?? false { return "snap" }
    if files.exists("/run/.containerenv") { return "podman" }
    if files.exists("/.dockerenv") { return "docker" }
    if let name = files.line("/run/systemd/container"), !name.isEmpty { return name }
    if let kernel = files.line("/proc/version")?.lowercased(), kernel.contains("microsoft") { return "WSL" }
    return nil
  }

  /// Returns whether any id is mapped to another one, or not mapped at all.
  private static func isForeign(_ map: String) -> Bool {
    let rows = map.split(separator: "\n").map { $0.split(whereSeparator: \.isWhitespace).map(String.init) }
    return rows.contains { $0.count == 3 && $0[0] != $0[1] }
  }

  private static func unit(_ files: SystemFiles) -> Unit {
    guard files.exists("/run/systemd/system") else { return .noSystemd }
    let places = ["/etc/systemd/system", "/run/systemd/system"].map { $0 + "/bluetooth.service" }
    if places.contains(where: { files.link($0) == "/dev/null" }) { return .masked }
    let homes = ["/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"]
    let isThere = homes.contains { files.exists($0 + "/systemd/system/bluetooth.service") }
    return isThere ? .present : .missing
  }

  private static func radios(_ files: SystemFiles) -> [Radio] {
    let home = "/sys/class/rfkill"
    return (files.names(in: home) ?? []).compactMap { entry in
      guard files.line("\(home)/\(entry)/type") == "bluetooth" else { return nil }
      return Radio(
        name: files.line("\(home)/\(entry)/name") ?? entry,
        isSoftBlocked: files.line("\(home)/\(entry)/soft") == "1",
        isHardBlocked: files.line("\(home)/\(entry)/hard") == "1")
    }
  }

  private static func cachedDevices(_ files: SystemFiles) -> Int? {
    let home = "/var/lib/bluetooth"
    guard let adapters = files.names(in: home) else { return nil }
    return adapters.reduce(0) { count, adapter in
      count + (files.names(in: "\(home)/\(adapter)/cache")?.count ?? 0)
    }
  }
}
