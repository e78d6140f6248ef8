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
  /// The device of a port that is one of several.
  private let device: PeripheralInfo?
  private let time: Timestamp

  package init(_ kind: Kind, at place: String, of device: PeripheralInfo? = nil, time: Timestamp = .now) {
    (self.kind, self.place, self.device, self.time) = (kind, place, device, time)
  }

  package func write(to json: inout JSONWriter) {
    json.event("listening", at: time)
    if let device {
      json.field("address", device.lastingAddress)
      json.field("name", device.name)
    }
    json.field(kind.rawValue, place)
  }
}
