// SPDX-License-Identifier: MIT
package import BLECentral
package import JSON
internal import TerminalOutput

/// Replaces a value that could not be read, among others that could.
package struct UnreadRecord: Record {
  package let time: Timestamp
  package let origin: ValueOrigin
  package let error: BLEError

  package init(time: Timestamp, origin: ValueOrigin, error: BLEError) {
    self.time = time
    self.origin = origin
    self.error = error
  }

  package func write(to json: inout JSONWriter) {
    json.event("error", at: time)
    origin.write(to: &json)
    json.field(error)
    json.field("via", origin.transport.rawValue)
  }
}
