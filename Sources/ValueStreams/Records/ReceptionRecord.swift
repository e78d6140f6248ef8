// SPDX-License-Identifier: MIT
package import BLECentral
package import JSON
internal import TerminalOutput

/// Listening began, could not go on, or goes on: what was sent meanwhile was missed.
package struct ReceptionRecord: Record, Sendable {
  package enum Event: String, Sendable {
    case started
    case interrupted
    case resumed
  }

  package let event: Event
  package let time: Timestamp
  /// The adapter that listens; nil if there is none at the moment.
  package let adapter: String?
  package let reason: String?
  /// How long nothing could be heard.
  package let gapSeconds: Double?

  package init(
    event: Event, time: Timestamp = .now, adapter: String? = nil, reason: String? = nil,
    gapSeconds: Double? = nil
  ) {
    (self.event, self.time, self.adapter) = (event, time, adapter)
    (self.reason, self.gapSeconds) = (reason, gapSeconds)
  }

  package func write(to json: inout JSONWriter) {
    json.field("event", event.rawValue)
    json.field("time", time.utc)
    json.field("adapter", adapter)
    json.field("reason", reason)
    json.field("gap_seconds", gapSeconds)
  }
}
