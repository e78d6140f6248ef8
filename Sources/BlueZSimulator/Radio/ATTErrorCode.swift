// SPDX-License-Identifier: MIT
internal import BLEMeaning

/// An error code of the attribute protocol.
struct ATTErrorCode: Error, Hashable {
  let code: UInt8

  static let invalidHandle = ATTErrorCode(code: 0x01)
  static let readNotPermitted = ATTErrorCode(code: 0x02)
  static let writeNotPermitted = ATTErrorCode(code: 0x03)
  static let requestNotSupported = ATTErrorCode(code: 0x06)
  static let improperlyConfigured = ATTErrorCode(code: 0xFD)
  static let insufficientAuthentication = ATTErrorCode(code: 0x05)
  static let invalidOffset = ATTErrorCode(code: 0x07)
  static let attributeNotLong = ATTErrorCode(code: 0x0B)
  static let invalidLength = ATTErrorCode(code: 0x0D)
  static let insufficientEncryption = ATTErrorCode(code: 0x0F)
  /// The daemon's own error when the link is lost or a request times out.
  static let unlikely = ATTErrorCode(code: 0x0E)

  /// Whether pairing can help.
  var asksForKey: Bool { [0x05, 0x0F].contains(code) }

  /// The D-Bus error of the daemon.
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
