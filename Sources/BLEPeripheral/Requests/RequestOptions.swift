// SPDX-License-Identifier: MIT
internal import DBus

/// What bluetoothd says about a request: the options of ReadValue and WriteValue.
struct RequestOptions {
  /// The path of the central.
  var devicePath = ""
  var offset = 0
  var mtu = 23
  /// Whether the central only asks to prepare a write, of which nothing is known yet.
  var isAuthorization = false

  init(_ value: DBusValue?) {
    if let path = value?["device"]?.text { devicePath = path }
    if case .uint16(let number) = value?["offset"] { offset = Int(number) }
    if case .uint16(let number) = value?["mtu"] { mtu = Int(number) }
    if case .boolean(let isOn) = value?["prepare-authorize"] { isAuthorization = isOn }
  }
}
