// SPDX-License-Identifier: MIT
internal import DBus

/// The options of ReadValue and WriteValue.
struct RequestOptions {
  var devicePath = ""
  var offset = 0
  var mtu = 23
  /// Whether the central only asks to prepare a write, whose contents are not known yet.
  var isAuthorization = false

  init(_ value: DBusValue?) {
    if let path = value?["device"]?.text { devicePath = path }
    if case .uint16(let number) = value?["offset"] { offset = Int(number) }
    if case .uint16(let number) = value?["mtu"] { mtu = Int(number) }
    if case .boolean(let isOn) = value?["prepare-authorize"] { isAuthorization = isOn }
  }
}
