// SPDX-License-Identifier: MIT

/// An error code of the attribute protocol.
package struct ATTErrorCode: Error, Hashable {
  package let code: UInt8
  /// True if bluetoothd answers the call.
  package var isReported = true

  package static let invalidHandle = ATTErrorCode(code: 0x01)
  package static let readNotPermitted = ATTErrorCode(code: 0x02)
  package static let writeNotPermitted = ATTErrorCode(code: 0x03)
  package static let requestNotSupported = ATTErrorCode(code: 0x06)
  package static let improperlyConfigured = ATTErrorCode(code: 0xFD)
  package static let insufficientAuthentication = ATTErrorCode(code: 0x05)
  package static let invalidOffset = ATTErrorCode(code: 0x07)
  package static let prepareQueueFull = ATTErrorCode(code: 0x09)
  package static let attributeNotLong = ATTErrorCode(code: 0x0B)
  package static let invalidLength = ATTErrorCode(code: 0x0D)
  package static let insufficientEncryption = ATTErrorCode(code: 0x0F)
  /// The daemon's own error if the link is lost or a request times out.
  package static let unlikely = ATTErrorCode(code: 0x0E)

  /// No error: the daemon never answers, because it has forgotten the device.
  package static let unanswered = ATTErrorCode(code: 0, isReported: false)

  package init(code: UInt8, isReported: Bool = true) {
    self.code = code
    self.isReported = isReported
  }
}
