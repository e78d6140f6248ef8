// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BlectlArguments
internal import TerminalOutput

/// The devices that a scan on a terminal has heard, and which of them come first.
struct ScanBoard: Sendable {
  /// One device.
  struct Entry: Sendable {
    /// What it is known by here, whichever host hears it.
    let id: Peripheral.ID
    /// What the host knows that hears it best.
    var info: PeripheralInfo
    /// Which host that is, where several listen.
    fileprivate(set) var hosts = HostChoice()
    /// How many devices came before it.
    let arrival: Int
    var history = SignalHistory()
    var lastHeard = 0
  }

  /// A device that was not heard for so many seconds makes room for those that were.
  static let patience = 10

  /// How many lost devices are kept: invented addresses must not fill the memory.
  static let memory = 10_000

  private var entries: [Peripheral.ID: Entry] = [:]
  /// What a device is known by, where several hosts listen: each has an object of its own for it.
  private var identifiers: [BluetoothAddress: Peripheral.ID] = [:]
  private var arrivals = 0

  var count: Int { entries.count }

  /// Notes what was heard, in a second of the scan.
  ///
  /// - Parameters:
  ///   - info: what is known of the device.
  ///   - host: which host has heard it, where several listen.
  ///   - second: the second.
  mutating func add(_ info: PeripheralInfo, from host: String? = nil, second: Int) {
    let id = identifier(of: info, host)
    if entries[id] == nil {
      entries[id] = Entry(id: id, info: info, arrival: arrivals)
      arrivals += 1
    }
    entries[id]?.heard(info, host, second)
  }

  private mutating func identifier(of info: PeripheralInfo, _ host: String?) -> Peripheral.ID {
    let own = info.peripheral.id
    guard host != nil else { return own }
    if let known = identifiers[info.address] { return known }
    identifiers[info.address] = own
    return own
  }

  /// Notes what is known of a device without its being heard.
  ///
  /// - Returns: whether that is new.
  mutating func update(_ id: Peripheral.ID, _ info: PeripheralInfo) -> Bool {
    guard let old = entries[id], old.info.peripheral == info.peripheral, old.info != info else {
      return false
    }
    entries[id]?.info = info
    return true
  }

  /// What is known of a device; nil when it was not heard, or is forgotten.
  func entry(_ id: Peripheral.ID) -> Entry? { entries[id] }

  /// Forgets a device that is gone, when there are very many; the others stay for the final table.
  ///
  /// - Parameters:
  ///   - info: the device.
  ///   - host: the host that does not hear it any more, where several listen.
  mutating func lose(_ info: PeripheralInfo, from host: String? = nil) {
    guard entries.count > ScanBoard.memory else { return }
    entries[identifier(of: info, host)] = nil
    identifiers[info.address] = nil
  }

  /// The devices in an order.
  ///
  /// - Parameters:
  ///   - second: now; nil to sort by strength alone, by the last one of each.
  ///   - order: the order.
  /// - Returns: all of them.
  func ranked(at second: Int?, by order: ScanOrder = .signal) -> [Entry] {
    let ranks = entries.values.map { (rank: $0.rank(at: second), entry: $0) }
    return ranks.sorted { order.places($0.rank, before: $1.rank) }.map(\.entry)
  }
}

extension ScanBoard.Entry {
  fileprivate mutating func heard(_ info: PeripheralInfo, _ host: String?, _ second: Int) {
    lastHeard = second
    if let host {
      hosts.hear(host, rssi: info.rssi, second: second)
      guard hosts.best == host else { return }
    }
    self.info = info
    if let rssi = info.rssi { history.add(rssi, second: second) }
  }

  fileprivate func rank(at second: Int?) -> ScanOrder.Rank {
    let strength = second == nil ? info.rssi : history.steady.map { Int($0.rounded()) }
    return ScanOrder.Rank(
      isHeard: second.map { isHeard(at: $0) } ?? true, strength: strength ?? -128, name: info.name,
      address: info.address, arrival: arrival)
  }

  /// Whether it was heard lately.
  func isHeard(at second: Int) -> Bool { second - lastHeard <= ScanBoard.patience }
}

/// What the rows of a live scan are sorted by.
enum ScanOrder: Sendable, Hashable, CaseIterable {
  /// Those heard of late before the others, and among them the strongest first.
  case signal
  /// Those without a name last.
  case name
  case address
  /// The newest first.
  case arrival

  /// What a device is sorted by.
  struct Rank: Sendable, Hashable {
    var isHeard = true
    /// In dBm.
    var strength = -128
    var name: String?
    let address: BluetoothAddress
    /// How many devices came before it.
    var arrival = 0
  }

  /// The order that follows it.
  var next: ScanOrder {
    switch self {
    case .signal: .name
    case .name: .address
    case .address: .arrival
    case .arrival: .signal
    }
  }

  /// What stands in the line of the view; nil for the order that it begins with.
  var text: String? {
    switch self {
    case .signal: nil
    case .name: "by name"
    case .address: "by address"
    case .arrival: "newest first"
    }
  }

  /// Whether a device comes before another; never both ways round.
  func places(_ first: Rank, before other: Rank) -> Bool {
    switch self {
    case .signal:
      if first.isHeard != other.isHeard { return first.isHeard }
      if first.strength != other.strength { return first.strength > other.strength }
    case .name:
      let (name, next) = (first.name?.lowercased(), other.name?.lowercased())
      if (name == nil) != (next == nil) { return name != nil }
      if let name, let next, name != next { return name < next }
    case .address: break
    case .arrival: if first.arrival != other.arrival { return first.arrival > other.arrival }
    }
    return first.address < other.address
  }
}

/// The filter of a live scan, typed while its effect shows.
struct NameFilter: Sendable, Hashable {
  /// No name is longer: BlueZ has room for 248 bytes.
  private static let longest = 248

  private(set) var text = ""
  /// Whether keys are its text.
  private(set) var isTyping = false

  /// Lets keys change the text.
  mutating func begin() { isTyping = true }

  /// Shows all devices again.
  mutating func drop() { self = NameFilter() }

  /// Takes a key while it is typed: Enter accepts the text, Esc drops it.
  ///
  /// - Returns: whether the key was for the text.
  mutating func take(_ key: Key) -> Bool {
    switch key {
    case .character(let character): if text.utf8.count < NameFilter.longest { text.append(character) }
    case .backspace: text = String(text.dropLast())
    case .clear: text = ""
    case .enter: isTyping = false
    case .escape: drop()
    default: return false
    }
    return true
  }

  /// The test of names as DEVICE has it: a part in any case, or a shell pattern; nil lets all pass.
  var pattern: NamePattern? { text.isEmpty ? nil : NamePattern(text) }
}

/// Which of several hosts hears a device best.
struct HostChoice: Sendable {
  /// What a host has heard of the device last.
  struct Sighting: Sendable, Hashable {
    let rssi: Int?
    /// The second of the scan.
    let second: Int
  }

  /// What each host has heard.
  private(set) var sightings: [String: Sighting] = [:]
  /// The host that hears it best; nil before the first one has heard it.
  private(set) var best: String?

  /// Another host must hear it better by so many dB, so that equal ones do not take turns.
  private static let margin = 4

  /// Notes what a host has heard, in a second of the scan.
  ///
  /// The best host stays, unless another one hears the device better by far, or it has not heard it of late.
  mutating func hear(_ host: String, rssi: Int?, second: Int) {
    sightings[host] = Sighting(rssi: rssi, second: second)
    func strength(_ host: String) -> Int? {
      guard let sighting = sightings[host], second - sighting.second <= ScanBoard.patience else { return nil }
      return sighting.rssi ?? -128
    }
    guard let own = best.flatMap(strength) else {
      best = host
      return
    }
    if let new = strength(host), new >= own + HostChoice.margin { best = host }
  }
}
