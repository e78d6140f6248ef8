// SPDX-License-Identifier: MIT

/// The largest value that a device accepts in one packet.
struct LongestWrite {
  /// The length that every device accepts.
  static let safe = 510
  /// The first version of bluetoothd that does not count the handle (2 bytes) as a part of the value.
  private static let mended = BlueZVersion(major: 5, minor: 69)

  /// The version of the device's bluetoothd, if it is too old for 512 bytes.
  let culprit: BlueZVersion?

  /// - Parameter modalias: the device id that the device reports.
  init(modalias: String?) {
    let version = modalias.flatMap { BlueZVersion(modalias: $0) }
    culprit = version.flatMap { $0 < Self.mended ? $0 : nil }
  }

  var bytes: Int { culprit == nil ? 512 : Self.safe }
}
