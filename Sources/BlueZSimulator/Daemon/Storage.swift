// SPDX-License-Identifier: MIT
internal import BLEMeaning

/// The devices that the daemon stores on disk.
final class Storage {
  /// A stored device.
  struct Record {
    var name: String?
    var services: [BluetoothUUID]
    var isTrusted: Bool
    var isBlocked: Bool
    /// The key of its bond.
    var key: BondKey?
  }

  /// By adapter, then by device address.
  private var records: [String: [String: Record]] = [:]

  func devices(of adapter: String) -> [(address: String, record: Record)] {
    (records[adapter] ?? [:]).map { (address: $0.key, record: $0.value) }.sorted { $0.address < $1.address }
  }

  func keep(_ record: Record, of device: String, at adapter: String) {
    records[adapter, default: [:]][device] = record
  }

  func forget(_ device: String, at adapter: String) { records[adapter]?[device] = nil }
}
