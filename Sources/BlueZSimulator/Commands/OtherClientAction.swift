// SPDX-License-Identifier: MIT

/// What another program on the bus does: a client with a connection of its own, which calls as any other.
package enum OtherClientCommand: Sendable, Hashable {
  /// It scans with a filter, which the daemon merges with that of others.
  case scan(OtherFilter = OtherFilter(), adapter: String = "hci0")
  /// It ends its scan.
  case stopScan(adapter: String = "hci0")
  /// It subscribes to a characteristic by `StartNotify`.
  case subscribe(CharacteristicReference)
  /// It takes the notifications of a characteristic for itself by `AcquireNotify`.
  case hold(CharacteristicReference)
  /// It ends its subscription, or lets go of what it holds.
  case release(CharacteristicReference)
  /// It answers questions of pairing.
  case registerAgent
  /// It does so no longer.
  case unregisterAgent
  /// It leaves the bus: all that it began ends.
  case leave

  /// What takes it back; nil for what is over.
  var undoing: OtherClientCommand? {
    switch self {
    case .scan(_, let adapter): .stopScan(adapter: adapter)
    case .subscribe(let reference), .hold(let reference): .release(reference)
    case .registerAgent: .unregisterAgent
    case .stopScan, .release, .unregisterAgent, .leave: nil
    }
  }
}

/// The discovery filter of another program.
package struct OtherFilter: Sendable, Hashable {
  /// Services of which one must be advertised; none is any.
  package var services: [AttributeUUID]
  /// The weakest signal in dBm; nil is any.
  package var rssi: Int16?
  /// What an address or a name must begin with; nil is anything.
  package var pattern: String?
  /// Whether each report is told.
  package var duplicates: Bool

  /// A filter; without arguments none is set.
  package init(
    services: [AttributeUUID] = [], rssi: Int16? = nil, pattern: String? = nil, duplicates: Bool = false
  ) {
    self.services = services
    self.rssi = rssi
    self.pattern = pattern
    self.duplicates = duplicates
  }
}
