// SPDX-License-Identifier: MIT
package import BLEMeaning

/// Something that another program on the bus does, a client with its own connection.
package enum OtherClientAction: Sendable, Hashable {
  /// It scans with a filter, which the daemon merges with those of other clients.
  case scan(OtherClientFilter = OtherClientFilter(), adapter: String = "hci0")
  /// It ends its scan.
  case stopScan(adapter: String = "hci0")
  /// It subscribes to a characteristic by `StartNotify`.
  case subscribe(CharacteristicReference)
  /// It acquires the notifications of a characteristic exclusively by `AcquireNotify`.
  case hold(CharacteristicReference)
  /// It ends its subscription or releases the characteristic.
  case release(CharacteristicReference)
  /// It registers a pairing agent.
  case registerAgent
  /// It unregisters its pairing agent.
  case unregisterAgent
  /// It leaves the bus, which ends everything that it started.
  case leave

  /// The action that undoes it, if any.
  package var undoing: OtherClientAction? {
    switch self {
    case .scan(_, let adapter): .stopScan(adapter: adapter)
    case .subscribe(let reference), .hold(let reference): .release(reference)
    case .registerAgent: .unregisterAgent
    case .stopScan, .release, .unregisterAgent, .leave: nil
    }
  }
}

/// The discovery filter of another program.
package struct OtherClientFilter: Sendable, Hashable {
  /// The services of which one must be advertised; empty is any.
  package var services: [BluetoothUUID]
  /// The minimum signal strength in dBm; nil is any.
  package var rssi: Int16?
  /// The prefix of an address or a name; nil is any.
  package var pattern: String?
  /// Whether the daemon reports duplicates.
  package var duplicates: Bool

  /// A filter; without arguments it is empty.
  package init(
    services: [BluetoothUUID] = [], rssi: Int16? = nil, pattern: String? = nil, duplicates: Bool = false
  ) {
    self.services = services
    self.rssi = rssi
    self.pattern = pattern
    self.duplicates = duplicates
  }
}
