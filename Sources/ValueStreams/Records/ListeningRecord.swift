// SPDX-License-Identifier: MIT
package import BLECentral
package import JSON
internal import TerminalOutput

/// A place where programs find a serial port.
package struct ListeningRecord: Record, Sendable {
  package enum Kind: String, Sendable {
    case pty
    case tcp
    case unix
  }

  private let kind: Kind
  private let place: String
  private let time: Timestamp

  package init(_ kind: Kind, at place: String, time: Timestamp = .now) {
    (self.kind, self.place, self.time) = (kind, place, time)
  }

  package func write(to json: inout JSONWriter) {
    json.field("event", "listening")
    json.field("time", time.utc)
    json.field(kind.rawValue, place)
  }
}
