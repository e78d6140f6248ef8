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

  /// The name for people: `Secure DFU`.
  public var title: String {
    switch self {
    case .smp: "SMP"
    case .secureDFU: "Secure DFU"
    case .legacyDFU: "Legacy DFU"
    }
  }
}

extension FirmwareFile {
  /// The methods that can carry it; empty if the file is of no known kind.
  package var methods: [UpdateMethod] {
    switch content {
    case .image, .images: [.smp]
    case .nordic(let parts): parts.allSatisfy(\.isSecure) ? [.secureDFU] : [.legacyDFU]
    case .unknown: []
    }
  }
}
