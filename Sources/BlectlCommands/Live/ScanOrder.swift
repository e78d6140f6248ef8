// SPDX-License-Identifier: MIT
internal import BLECentral

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
