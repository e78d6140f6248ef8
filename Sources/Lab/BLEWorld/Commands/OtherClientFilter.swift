// SPDX-License-Identifier: MIT
package import BLEFormats

/// The discovery filter of another program.
package struct OtherClientFilter: Sendable, Equatable {
  /// The services of which one must be advertised; empty for any.
  package var services: [BluetoothUUID]
  /// The minimum signal strength in dBm; nil for any.
  package var rssi: Int16?
  /// The prefix of an address or a name; nil for any.
  package var pattern: String?
  /// True if the daemon reports duplicates.
  package var duplicates: Bool

  package init(
    services: [BluetoothUUID] = [], rssi: Int16? = nil, pattern: String? = nil, duplicates: Bool = false
  ) {
    self.services = services
    self.rssi = rssi
    self.pattern = pattern
    self.duplicates = duplicates
  }
}
