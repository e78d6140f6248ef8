// SPDX-License-Identifier: MIT
package import BLECentral
package import JSON
internal import TerminalOutput

/// Receiving began, could not go on, or goes on: what was sent meanwhile was missed.
package struct ReceptionRecord: Record, Sendable {
  package enum Event: String, Sendable {
    case started
    case interrupted
    case resumed
    /// The adapter seems to have failed, and a step is taken against that.
    case recovering
    /// The adapter works again.
    case recovered
    /// Nothing is heard any more, though devices were, and for much longer than before.
    case silent
    /// Something is heard again.
    case heard
    /// All devices of a common start are subscribed to: the zero of their time.
    case begun
    /// The command that writes a log was itself away: it continues the log of an earlier one.
    case away
  }

  package let event: Event
  package let time: Timestamp
  /// The adapter that listens; nil if there is none at the moment.
  package let adapter: String?
  package let reason: String?
  /// The step that is taken against a failed adapter, or that has helped.
  package let step: String?
  /// The time in which nothing could be heard.
  package let gapSeconds: Double?
  /// The host that listens; nil if there is only one.
  package let host: String?

  package init(
    event: Event, time: Timestamp = .now, adapter: String? = nil, reason: String? = nil,
    step: String? = nil, gapSeconds: Double? = nil, host: String? = nil
  ) {
    (self.event, self.time, self.adapter, self.host) = (event, time, adapter, host)
    (self.reason, self.step, self.gapSeconds) = (reason, step, gapSeconds)
  }

  /// Creates the record for a log that was last written to at a time; its gap is unknown if the clock was set back since.
  package init(away last: Timestamp, until now: Timestamp) {
    let seconds = now.seconds(since: last)
    self.init(event: .away, time: now, gapSeconds: seconds < 0 ? nil : (seconds * 1000).rounded() / 1000)
  }

  /// The reason, and the step that was taken, as one text.
  package var text: String? {
    let parts = [step, reason].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ": ")
  }

  package func write(to json: inout JSONWriter) {
    json.event(event.rawValue, at: time)
    json.field("host", host)
    json.field("adapter", adapter)
    json.field("reason", reason)
    json.field("step", step)
    json.field("gap_seconds", gapSeconds)
  }
}
