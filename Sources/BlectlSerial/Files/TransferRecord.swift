// SPDX-License-Identifier: MIT
package import BLECentral
package import JSON
internal import TerminalOutput
internal import ValueStreams

/// A file that was sent or received, or as much of it as an interruption left.
package struct TransferRecord: Record, Sendable {
  package enum Event: String, Sendable {
    case sent
    case received
    case interrupted
  }

  private let event: Event
  private let address: BluetoothAddress
  private let route: TransferRoute
  private let tally: TransferTally
  private let checksum: Checksum?

  package init(
    _ event: Event, _ route: TransferRoute, of address: BluetoothAddress,
    _ tally: TransferTally,
    _ checksum: Checksum? = nil
  ) {
    (self.event, self.route, self.address) = (event, route, address)
    (self.tally, self.checksum) = (tally, checksum)
  }

  package func write(to json: inout JSONWriter) {
    json.field("event", event.rawValue)
    json.field("time", Timestamp.now.utc)
    json.field("address", address)
    switch route {
    case .characteristic(let characteristic):
      json.field("service", characteristic.service)
      json.field("characteristic", characteristic.uuid)
      json.field("handle", Int(characteristic.handle))
    case .channel(let psm): json.field("psm", Int(psm))
    }
    json.field("bytes", tally.transferred)
    json.field("resumed_at", tally.earlier == 0 ? nil : tally.earlier)
    json.field("uncertain", tally.uncertain == 0 ? nil : tally.uncertain)
    json.field("seconds", (tally.elapsed / .milliseconds(1)).rounded() / 1000)
    json.field("bytes_per_second", tally.bytesPerSecond.rounded())
    if let checksum { json.field(checksum.kind.rawValue, checksum.text) }
  }
}
