// SPDX-License-Identifier: MIT

/// How much of a value a device takes in one packet.
struct LongestWrite {
  /// What every device takes.
  static let safe = 510
  /// The first version of bluetoothd that does not count the handle, 2 bytes, as a part of the value.
  private static let mended = BlueZVersion(major: 5, minor: 69)

  /// The version of the device's bluetoothd, where that is too old for 512 bytes.
  let culprit: BlueZVersion?

  /// - Parameter modalias: the product that the device says it is.
  init(modalias: String?) {
    let version = modalias.flatMap { BlueZVersion(modalias: $0) }
    culprit = version.flatMap { $0 < Self.mended ? $0 : nil }
  }

  /// The most bytes.
  var bytes: Int { culprit == nil ? 512 : Self.safe }
}
