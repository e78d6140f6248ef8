// SPDX-License-Identifier: MIT
package import BLEFormats

/// A way to carry firmware to a device; the raw value is its word on a command line.
public enum UpdateMethod: String, Sendable, Hashable, CaseIterable {
  /// SMP, the protocol of MCUmgr, for devices with the bootloader MCUboot.
  case smp
  /// Nordic's Secure DFU, since SDK 12.
  case secureDFU = "secure-dfu"
  /// Nordic's Legacy DFU, up to SDK 11; also that of Adafruit's bootloader and of InfiniTime.
  case legacyDFU = "legacy-dfu"

  /// Creates the method of a protocol.
  package init(_ carrier: UpdateProtocol) {
    self =
      switch carrier {
      case .smp: .smp
      case .secureDFU: .secureDFU
      case .legacyDFU: .legacyDFU
      }
  }

  /// The name for people: `Secure DFU`.
  public var title: String {
    switch self {
    case .smp: "SMP"
    case .secureDFU: "Secure DFU"
    case .legacyDFU: "Legacy DFU"
    }
  }
}
