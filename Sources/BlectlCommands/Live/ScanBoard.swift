// SPDX-License-Identifier: MIT
internal import BLECentral

/// The devices that a scan on a terminal has heard, and which of them come first.
struct ScanBoard: Sendable {
  /// One device.
  struct Entry: Sendable {
    var info: PeripheralInfo
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
  private var arrivals = 0

  var count: Int { entries.count }

  /// Notes what was heard, in a second of the scan.
  mutating func add(_ info: PeripheralInfo, second: Int) {
    let id = info.peripheral.id
    if entries[id] == nil {
      entries[id] = Entry(info: info, arrival: arrivals)
      arrivals += 1
    }
    entries[id]?.heard(info, second)
  }

  /// Notes what is known of a device without its being heard.
  ///
  /// - Returns: whether that is new.
  mutating func update(_ info: PeripheralInfo) -> Bool {
    guard let old = entries[info.peripheral.id], old.info != info else { return false }
    entries[info.peripheral.id]?.info = info
    return true
  }

  /// What is known of a device; nil when it was not heard, or is forgotten.
  func entry(_ id: Peripheral.ID) -> Entry? { entries[id] }

  /// Forgets a device that is gone, when there are very many; the others stay for the final table.
  mutating func lose(_ device: Peripheral) {
    if entries.count > ScanBoard.memory { entries[device.id] = nil }
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
  fileprivate mutating func heard(_ info: PeripheralInfo, _ second: Int) {
    self.info = info
    lastHeard = second
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
