// SPDX-License-Identifier: MIT

/// An error code of the attribute protocol.
struct ATTError: Error, Hashable {
  let code: UInt8

  static let invalidHandle = ATTError(code: 0x01)
  static let readNotPermitted = ATTError(code: 0x02)
  static let writeNotPermitted = ATTError(code: 0x03)
  static let insufficientAuthentication = ATTError(code: 0x05)
  static let invalidOffset = ATTError(code: 0x07)
  static let attributeNotLong = ATTError(code: 0x0B)
  static let invalidLength = ATTError(code: 0x0D)
  static let insufficientEncryption = ATTError(code: 0x0F)
  /// What the daemon itself says when the link is gone or an answer does not come.
  static let unlikely = ATTError(code: 0x0E)

  /// Whether pairing may help.
  var asksForKey: Bool { [0x05, 0x0F].contains(code) }

  /// As the daemon tells it on D-Bus.
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
    default: .failed("Operation failed with ATT error: 0x" + hexadecimal(code, digits: 2))
    }
  }
}
