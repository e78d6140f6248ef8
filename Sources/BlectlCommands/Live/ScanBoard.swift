// SPDX-License-Identifier: MIT
internal import BLECentral

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
