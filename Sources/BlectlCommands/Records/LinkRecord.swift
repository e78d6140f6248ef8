// SPDX-License-Identifier: MIT
internal import BLECentral
internal import JSON

/// A link was opened or lost.
struct LinkRecord: Record, Sendable {
  enum Event: String {
    case connected
    case disconnected
    case reconnected
  }

  let event: Event
  var time = Timestamp.now
  let address: BluetoothAddress
  var reason: String?
  /// Of a reconnection: how long no values could come.
  var gapSeconds: Double?

  func write(to json: inout JSONWriter) {
    json.field("event", event.rawValue)
    json.field("time", time.utc)
    json.field("address", address)
    json.field("reason", reason)
    json.field("gap_seconds", gapSeconds)
  }
}
