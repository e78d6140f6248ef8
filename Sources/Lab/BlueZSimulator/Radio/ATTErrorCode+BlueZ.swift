// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld
internal import PeripheralEmulator

/// The handling of ATT errors by bluetoothd.
extension ATTErrorCode {
  /// Returns the security with which the daemon repeats the request; nil if it does not repeat it.
  func remedy(on security: LinkSecurity) -> LinkSecurity? {
    switch code {
    case 0x05: security.next
    case 0x0F: security == .plain ? .encrypted : nil
    default: nil
    }
  }

  /// The D-Bus error that the daemon returns.
  var onBus: BlueZError {
    switch code {
    case 0x02: .notPermitted("Read not permitted")
    case 0x03: .notPermitted("Write not permitted")
    case 0x05, 0x0C, 0x0F: .notPermitted("Not paired")
    case 0x06: .notSupported
    case 0x07: .invalidArguments("Invalid offset")
    case 0x08: .notAuthorized
    case 0x0D: .invalidArguments("Invalid Length")
    case 0x00: .failed("Operation failed")
    default: .failed("Operation failed with ATT error: 0x" + Hex.string([code]))
    }
  }
}
