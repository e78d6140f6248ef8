// SPDX-License-Identifier: MIT
internal import BLECentral
internal import JSON
internal import TerminalOutput
internal import ValueStreams

/// Stands in the place of a value that could not be read, among others that could.
struct UnreadRecord: Record {
  let time: Timestamp
  let origin: ValueOrigin
  let error: BLEError

  func write(to json: inout JSONWriter) {
    json.field("event", "error")
    json.field("time", time.utc)
    origin.write(to: &json)
    json.field(error)
    json.field("via", origin.transport.rawValue)
  }
}

extension JSONWriter {
  /// Why there is no value: `error`, and `att_error` where the device has given one; nothing where there is no error.
  mutating func field(_ error: BLEError?) {
    guard let error else { return }
    field("error", error.message)
    field("att_error", error.attError.map { Int($0.code) })
  }
}
