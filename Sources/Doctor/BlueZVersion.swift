// SPDX-License-Identifier: MIT

/// The version of a running bluetoothd, which only its adapters' device ids contain.
struct BlueZVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
  let major: Int
  let minor: Int

  init(major: Int, minor: Int) {
    self.major = major
    self.minor = minor
  }

  /// What the Modalias of an adapter says: `usb:v1D6Bp0246d0542` is 5.66.
  ///
  /// Nil where the device id is another one, which `DeviceID` in main.conf may set.
  init?(modalias: String) {
    let prefix = "usb:v1D6Bp0246d"
    guard modalias.hasPrefix(prefix) else { return nil }
    let digits = modalias.dropFirst(prefix.count)
    guard digits.count == 4, let number = UInt16(digits, radix: 16) else { return nil }
    self.init(major: Int(number >> 8), minor: Int(number & 0xff))
  }

  static func < (left: Self, right: Self) -> Bool { (left.major, left.minor) < (right.major, right.minor) }

  var description: String { "\(major).\(minor < 10 ? "0" : "")\(minor)" }
}
