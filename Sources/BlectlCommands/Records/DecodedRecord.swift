// SPDX-License-Identifier: MIT
internal import BLECentral
internal import JSON
internal import TerminalOutput
internal import ValueStreams

/// A value and what it means.
struct DecodedRecord: Record {
  /// Nil for an advertisement.
  let uuid: BluetoothUUID?
  let name: String
  let value: [UInt8]
  let decoded: DecodedFields

  func write(to json: inout JSONWriter) {
    json.field("uuid", uuid)
    json.field("name", name)
    json.fields(value: value, decoded: decoded)
  }
}
