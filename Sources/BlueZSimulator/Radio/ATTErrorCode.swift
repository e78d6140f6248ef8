// SPDX-License-Identifier: MIT
internal import BLEMeaning

/// An error code of the attribute protocol.
struct ATTErrorCode: Error, Hashable {
  let code: UInt8
  /// Whether bluetoothd answers the call.
  var isReported = true

  static let invalidHandle = ATTErrorCode(code: 0x01)
  static let readNotPermitted = ATTErrorCode(code: 0x02)
  static let writeNotPermitted = ATTErrorCode(code: 0x03)
  static let requestNotSupported = ATTErrorCode(code: 0x06)
  static let improperlyConfigured = ATTErrorCode(code: 0xFD)
  static let insufficientAuthentication = ATTErrorCode(code: 0x05)
  static let invalidOffset = ATTErrorCode(code: 0x07)
  static let prepareQueueFull = ATTErrorCode(code: 0x09)
  static let attributeNotLong = ATTErrorCode(code: 0x0B)
  static let invalidLength = ATTErrorCode(code: 0x0D)
  static let insufficientEncryption = ATTErrorCode(code: 0x0F)
  /// The daemon's own error when the link is lost or a request times out.
  static let unlikely = ATTErrorCode(code: 0x0E)

  /// No error: the daemon never answers, because it has forgotten the device.
  static let unanswered = ATTErrorCode(code: 0, isReported: false)

  /// The security with which the daemon repeats the request; nil when it does not.
  func remedy(on security: LinkSecurity) -> LinkSecurity? {
    switch code {
    case 0x05: security.next
    case 0x0F: security == .plain ? .encrypted : nil
    default: nil
    }
  }

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
