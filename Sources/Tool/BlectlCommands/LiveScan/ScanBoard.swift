// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BlectlArguments
internal import TerminalOutput

/// The devices that a scan on a terminal has heard, and their order.
struct ScanBoard: Sendable {
  struct Entry: Sendable {
    /// Identifies it here, whichever host hears it.
    let id: Peripheral.ID
    /// The information of the host that hears it best.
    var info: PeripheralInfo
    /// The choice of that host, if several listen.
    fileprivate(set) var hosts = HostChoice()
    /// The number of devices before it.
    let arrival: Int
    var history = SignalHistory()
    var lastHeard = 0
  }

  /// In seconds; a device not heard for longer is sorted behind the others.
  static let staleAfter = 10

  /// The maximum number of lost devices that are kept: invented addresses must not fill the memory.
  static let memory = 10_000

  private var entries: [Peripheral.ID: Entry] = [:]
  /// Identifies a device if several hosts listen, since each host has its own object for it, and one that changes its
  /// private address, which has an object for each.
  private var identifiers: [DeviceKey: Peripheral.ID] = [:]
  private var arrivals = 0

  var count: Int { entries.count }

  /// Adds an advertisement from a host (nil if only one listens), in a second of the scan.
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
    guard host != nil || info.identity != nil else { return own }
    if let known = identifiers[info.key] { return known }
    identifiers[info.key] = own
    return own
  }

  /// Updates a device without its being heard; returns whether anything changed.
  mutating func update(_ id: Peripheral.ID, _ info: PeripheralInfo) -> Bool {
    guard let old = entries[id], old.info.peripheral == info.peripheral, old.info != info else {
      return false
    }
    entries[id]?.info = info
    return true
  }

  /// Nil when the device was not heard, or is forgotten.
  func entry(_ id: Peripheral.ID) -> Entry? { entries[id] }

  /// Forgets a lost device, but only if there are very many; the others stay for the final table.
  mutating func lose(_ info: PeripheralInfo, from host: String? = nil) {
    guard entries.count > ScanBoard.memory else { return }
    entries[identifier(of: info, host)] = nil
    identifiers[info.key] = nil
  }

  /// All devices in an order; without a second, sorted by strength alone, by the last one of each.
  func ranked(at second: Int?, by order: ScanOrder = .signal) -> [Entry] {
    let ranks = entries.values.map { (rank: $0.rank(at: second, by: order), entry: $0) }
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

  fileprivate func rank(at second: Int?, by order: ScanOrder) -> ScanOrder.Rank {
    let strength = second == nil ? info.rssi : history.steady.map { Int($0.rounded()) }
    return ScanOrder.Rank(
      isHeard: second.map { isHeard(at: $0) } ?? true, strength: strength ?? -128,
      name: order == .name ? info.name.map { NaturalName($0) } : nil, address: info.address, arrival: arrival)
  }

  /// Returns whether it was heard recently.
  func isHeard(at second: Int) -> Bool { second - lastHeard <= ScanBoard.staleAfter }
}

/// The sort order of a live scan.
enum ScanOrder: Sendable, Hashable, CaseIterable {
  /// Recently heard devices before the others, the strongest first.
  case signal
  /// Devices without a name last.
  case name
  case address
  /// The newest first.
  case arrival

  struct Rank: Sendable, Hashable {
    var isHeard = true
    /// The signal strength in dBm.
    var strength = -128
    /// Nil for a device without one, and in other orders than by name.
    var name: NaturalName?
    let address: BluetoothAddress
    /// The number of devices before it.
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

  /// Shown in the line of the view; nil for the initial order.
  var text: String? {
    switch self {
    case .signal: nil
    case .name: "by name"
    case .address: "by address"
    case .arrival: "newest first"
    }
  }

  /// A strict order of two devices.
  func places(_ first: Rank, before other: Rank) -> Bool {
    switch self {
    case .signal:
      if first.isHeard != other.isHeard { return first.isHeard }
      if first.strength != other.strength { return first.strength > other.strength }
    case .name:
      if (first.name == nil) != (other.name == nil) { return first.name != nil }
      if let name = first.name, let next = other.name, name != next { return name < next }
    case .address: break
    case .arrival: if first.arrival != other.arrival { return first.arrival > other.arrival }
    }
    return first.address < other.address
  }
}

/// The choice among several hosts that hear a device.
struct HostChoice: Sendable {
  /// The last advertisement that a host heard.
  struct Sighting: Sendable, Hashable {
    let rssi: Int?
    /// The second of the scan.
    let second: Int
  }

  private(set) var sightings: [String: Sighting] = [:]
  /// The host that hears it best; nil before the first advertisement.
  private(set) var best: String?

  /// Another host must hear it better by this many dB, so that equal ones do not alternate.
  private static let margin = 4

  /// Adds an advertisement; the best host changes if another hears far better, or it heard nothing recently.
  mutating func hear(_ host: String, rssi: Int?, second: Int) {
    sightings[host] = Sighting(rssi: rssi, second: second)
    func strength(_ host: String) -> Int? {
      guard let sighting = sightings[host], second - sighting.second <= ScanBoard.staleAfter else {
        return nil
      }
      return sighting.rssi ?? -128
    }
    guard let own = best.flatMap(strength) else {
      best = host
      return
    }
    if let new = strength(host), new >= own + HostChoice.margin { best = host }
  }
}
