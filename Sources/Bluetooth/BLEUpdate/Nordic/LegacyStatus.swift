// SPDX-License-Identifier: MIT

/// The status with which a device answers a request of Legacy DFU.
enum LegacyStatus: UInt8 {
  case success = 1
  case invalidState
  case notSupported
  case dataSize
  case crc
  case failed

  /// The meaning of the status.
  var words: String {
    switch self {
    case .success: "success"
    case .invalidState: "the request is not permitted now"
    case .notSupported: "it does not support this"
    case .dataSize: "the firmware does not fit into its memory"
    case .crc: "the checksum of the firmware is wrong"
    case .failed: "the operation failed"
    }
  }

  /// The meaning of a number, which may be none of these.
  static func words(_ code: UInt8) -> String { LegacyStatus(rawValue: code)?.words ?? "status \(code)" }

  /// The error of a refused step, such as "the init packet".
  static func error(_ code: UInt8, of step: String) -> UpdateError {
    let status = LegacyStatus(rawValue: code)
    let isRefusal = [.notSupported, .dataSize, .crc, .failed].contains(status)
    return UpdateError(
      isRefusal ? .refused : .deviceError, "the bootloader refuses \(step): \(words(code))",
      deviceCode: Int(code))
  }
}
