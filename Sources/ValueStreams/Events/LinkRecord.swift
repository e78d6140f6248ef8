// SPDX-License-Identifier: MIT
package import BLECentral
package import JSON
internal import TerminalOutput

/// A link was opened or lost.
package struct LinkRecord: Record, Sendable {
  package enum Event: String {
    case connected
    case disconnected
    case reconnected
  }

  package let event: Event
  package let time: Timestamp
  package let address: BluetoothAddress
  package let reason: String?
  /// Of a reconnection: how long no values could come.
  package let gapSeconds: Double?

  package init(
    event: Event, time: Timestamp = .now, address: BluetoothAddress, reason: String? = nil,
    gapSeconds: Double? = nil
  ) {
    self.event = event
    self.time = time
    self.address = address
    self.reason = reason
    self.gapSeconds = gapSeconds
  }

  package func write(to json: inout JSONWriter) {
    json.field("event", event.rawValue)
    json.field("time", time.utc)
    json.field("address", address)
    json.field("reason", reason)
    json.field("gap_seconds", gapSeconds)
  }
}
