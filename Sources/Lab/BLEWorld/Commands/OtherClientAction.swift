// SPDX-License-Identifier: MIT
package import BLEFormats
internal import JSON

/// Something that another program on the bus does.
package typealias OtherClientAction = ScopedCommand<OtherClientScope>

package enum OtherClientScope {
  static let commands: [any Command.Type] = [
    OtherScan.self, OtherStopScan.self, OtherSubscribe.self, OtherHold.self, OtherRelease.self,
    OtherAgent.self, OtherNoAgent.self, OtherLeave.self,
  ]
}

/// An action of another program.
package enum OtherClientCall: Sendable, Equatable {
  case scan(OtherClientFilter, adapter: String)
  case stopScan(adapter: String)
  case subscribe(CharacteristicReference)
  case hold(CharacteristicReference)
  case release(CharacteristicReference)
  case registerAgent
  case unregisterAgent
  case leave
}

protocol OtherClientCommand: Command {
  var call: OtherClientCall { get }
}

extension OtherClientAction {
  /// The action of the other program.
  package var call: OtherClientCall? { (command as? any OtherClientCommand)?.call }
}

private struct OtherScan: OtherClientCommand {
  static let word = "other-scan"
  static let about = "Another program scans; the daemon merges the filters of all programs."
  static let keys: [Field<Self>] = [
    .adapter(\.adapter),
    Field(
      "services", \.filter.services, Codec<BluetoothUUID>.service.list("an array of services"),
      "Only devices that advertise one of these services."),
    Field("rssi", \.filter.rssi, .integer(-127...20), "The minimum signal strength in dBm."),
    Field("pattern", \.filter.pattern, .plainText("a text"), "The prefix of an address or a name."),
    Field("duplicates", \.filter.duplicates, .flag, "Whether the daemon reports duplicates."),
  ]
  var filter = OtherClientFilter()
  var adapter = "hci0"
  var undoing: (any Command)? { OtherStopScan(adapter: adapter) }
  var call: OtherClientCall { .scan(filter, adapter: adapter) }
}

private struct OtherStopScan: OtherClientCommand {
  static let word = "other-stop-scan"
  static let about = "The other program ends its scan."
  static let keys: [Field<Self>] = [.adapter(\.adapter)]
  var adapter = "hci0"
  var call: OtherClientCall { .stopScan(adapter: adapter) }
}

private protocol CharacteristicNaming: OtherClientCommand {
  var reference: CharacteristicReference { get set }
}

extension CharacteristicNaming {
  fileprivate static var keys: [Field<Self>] {
    [
      .device(\.reference.device), .service(\.reference.service), .characteristic(\.reference.uuid),
    ]
  }

  fileprivate init(_ reference: CharacteristicReference) {
    self.init()
    self.reference = reference
  }
}

private struct OtherSubscribe: CharacteristicNaming {
  static let word = "other-subscribe"
  static let about = "Another program subscribes to a characteristic (StartNotify)."
  var reference = CharacteristicReference.none
  var undoing: (any Command)? { OtherRelease(reference) }
  var call: OtherClientCall { .subscribe(reference) }
}

private struct OtherHold: CharacteristicNaming {
  static let word = "other-hold"
  static let about =
    "Another program acquires the notifications of a characteristic exclusively (AcquireNotify)."
  var reference = CharacteristicReference.none
  var undoing: (any Command)? { OtherRelease(reference) }
  var call: OtherClientCall { .hold(reference) }
}

private struct OtherRelease: CharacteristicNaming {
  static let word = "other-release"
  static let about = "The other program ends its subscription or releases the characteristic."
  var reference = CharacteristicReference.none
  var call: OtherClientCall { .release(reference) }
}

private struct OtherAgent: OtherClientCommand {
  static let word = "other-agent"
  static let about = "Another program registers a pairing agent."
  var undoing: (any Command)? { OtherNoAgent() }
  var call: OtherClientCall { .registerAgent }
}

private struct OtherNoAgent: OtherClientCommand {
  static let word = "other-no-agent"
  static let about = "The other program unregisters its pairing agent."
  var call: OtherClientCall { .unregisterAgent }
}

private struct OtherLeave: OtherClientCommand {
  static let word = "other-leave"
  static let about = "The other program leaves the bus, which ends everything that it started."
  var call: OtherClientCall { .leave }
}

extension OtherClientAction {
  /// Starts a scan, or restarts the one that is running.
  package static func scan(
    _ filter: OtherClientFilter = OtherClientFilter(), adapter: String = "hci0"
  ) -> Self { Self(OtherScan(filter: filter, adapter: adapter)) }
  package static func stopScan(adapter: String = "hci0") -> Self { Self(OtherStopScan(adapter: adapter)) }
  package static func subscribe(_ reference: CharacteristicReference) -> Self {
    Self(OtherSubscribe(reference))
  }
  package static func hold(_ reference: CharacteristicReference) -> Self { Self(OtherHold(reference)) }
  package static func release(_ reference: CharacteristicReference) -> Self { Self(OtherRelease(reference)) }
  package static var registerAgent: Self { Self(OtherAgent()) }
  package static var unregisterAgent: Self { Self(OtherNoAgent()) }
  package static var leave: Self { Self(OtherLeave()) }
}

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
