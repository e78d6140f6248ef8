// SPDX-License-Identifier: MIT
internal import BLECentral

/// The devices that a scan on a terminal has heard, and which of them come first.
struct ScanBoard: Sendable {
  /// One device.
  struct Entry: Sendable {
    var info: PeripheralInfo
    var history = SignalHistory()
    var lastHeard = 0
  }

  /// A device that was not heard for so many seconds makes room for those that were.
  static let patience = 10

  /// How many lost devices are kept: invented addresses must not fill the memory.
  static let memory = 10_000

  private var entries: [Peripheral: Entry] = [:]

  var count: Int { entries.count }

  /// Notes what was heard, in a second of the scan.
  mutating func add(_ info: PeripheralInfo, second: Int) {
    entries[info.peripheral, default: Entry(info: info)].heard(info, second)
  }

  /// Forgets a device that is gone, when there are very many; the others stay for the final table.
  mutating func lose(_ device: Peripheral) {
    if entries.count > ScanBoard.memory { entries[device] = nil }
  }

  /// Those heard of late before the others, and among them the strongest first.
  ///
  /// - Parameter second: now; nil to sort by strength alone, by the last one of each.
  /// - Returns: all of them.
  func ranked(at second: Int?) -> [Entry] {
    let keyed = entries.values.map { entry -> (key: (Int, Int), entry: Entry) in
      guard let second else { return ((0, entry.info.rssi ?? -128), entry) }
      let isHeard = entry.isHeard(at: second)
      return ((isHeard ? 1 : 0, Int((entry.history.steady ?? -128).rounded())), entry)
    }
    return keyed.sorted { first, other in
      first.key == other.key
        ? first.entry.info.address < other.entry.info.address : first.key > other.key
    }.map(\.entry)
  }
}

extension ScanBoard.Entry {
  fileprivate mutating func heard(_ info: PeripheralInfo, _ second: Int) {
    self.info = info
    lastHeard = second
    if let rssi = info.rssi { history.add(rssi, second: second) }
  }

  /// Whether it was heard lately.
  func isHeard(at second: Int) -> Bool { second - lastHeard <= ScanBoard.patience }
}
