// SPDX-License-Identifier: MIT
package import BLECentral
package import JSON

extension BluetoothUUID: JSONValue {
  /// The 128-bit form: scripts compare texts.
  package func write(to json: inout JSONWriter) { json.text(longForm) }
}

extension BluetoothAddress: JSONValue {
  /// Upper case, with colons.
  package func write(to json: inout JSONWriter) { json.text(description) }
}
