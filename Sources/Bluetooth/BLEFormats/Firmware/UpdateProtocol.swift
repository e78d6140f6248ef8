// SPDX-License-Identifier: MIT

/// A protocol that carries firmware to a device.
package enum UpdateProtocol: String, Sendable, CaseIterable {
  /// MCUmgr's, for MCUboot.
  case smp
  /// Nordic's, since SDK 12.
  case secureDFU = "secure-dfu"
  /// Nordic's up to SDK 11, and that of Adafruit's bootloader.
  case legacyDFU = "legacy-dfu"
}
