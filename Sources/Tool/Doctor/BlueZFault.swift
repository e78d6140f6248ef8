// SPDX-License-Identifier: MIT
internal import BLECentral

/// A fault of some versions of bluetoothd, by which other programs or devices end it: docs/bluez-versions.md.
struct BlueZFault: Sendable {
  private let first: BlueZVersion
  private let last: BlueZVersion
  /// The effect of the fault; follows the version.
  let effect: String
  /// The workaround until another version is installed.
  let advice: String

  private init(from first: Int, to last: Int, _ effect: String, _ advice: String) {
    self.first = BlueZVersion(major: 5, minor: first)
    self.last = BlueZVersion(major: 5, minor: last)
    (self.effect, self.advice) = (effect, advice)
  }

  /// The known faults that programs and devices in use bring about.
  private static let known = [
    // Its is_filter_match calls a UUID of the filter as a function.
    BlueZFault(
      from: 87, to: 87,
      "ends when a program other than blectl scans with a filter for services (UUIDs)",
      "a bluez later than 5.87, or 5.86; until then, scan for services with blectl"),
    BlueZFault(
      from: 66, to: 66,
      "may end at each connection to a device whose firmware update has moved its attributes",
      "blectl forget DEVICE after an update of its firmware"),
    BlueZFault(
      from: 0, to: 83,
      "may end after a program has acquired notifications (AcquireNotify) that the device refused",
      "a bluez of 5.84 or later; until then, no --via socket, which is never the default"),
  ]

  /// The known faults of a version.
  static func all(of version: BlueZVersion) -> [BlueZFault] {
    known.filter { ($0.first...$0.last).contains(version) }
  }
}
