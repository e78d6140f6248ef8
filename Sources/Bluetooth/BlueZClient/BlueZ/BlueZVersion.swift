// SPDX-License-Identifier: MIT

/// The version of a running bluetoothd, which only its adapters' device ids contain.
package struct BlueZVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
  package let major: Int
  package let minor: Int

  package init(major: Int, minor: Int) {
    self.major = major
    self.minor = minor
  }

  /// Parses the Modalias of an adapter (`usb:v1D6Bp0246d0542` is 5.66), unless `DeviceID` in main.conf
  /// replaced it.
  package init?(modalias: String) {
    let prefix = "usb:v1D6Bp0246d"
    guard modalias.hasPrefix(prefix) else { return nil }
    let digits = modalias.dropFirst(prefix.count)
    guard digits.count == 4, let number = UInt16(digits, radix: 16) else { return nil }
    self.init(major: Int(number >> 8), minor: Int(number & 0xff))
  }

  package static func < (left: Self, right: Self) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }

  package var description: String { "\(major).\(minor < 10 ? "0" : "")\(minor)" }
}
