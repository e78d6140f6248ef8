// SPDX-License-Identifier: MIT

/// The result with which a bootloader of Secure DFU answers a request.
struct SecureResult: Equatable {
  let code: UInt8
  /// The number behind the code for the reasons of an init packet; nil without one.
  let detail: UInt8?

  static let success: UInt8 = 1
  static let opcodeNotSupported: UInt8 = 2
  static let insufficientResources: UInt8 = 4
  static let invalidObject: UInt8 = 5
  static let notPermitted: UInt8 = 8
  static let extended: UInt8 = 0x0b

  /// True if the bootloader has this version of the firmware, or a newer one.
  var isOldVersion: Bool { code == Self.extended && detail == 5 }

  /// The meaning of the result.
  var words: String {
    switch code {
    case 1: "success"
    case Self.opcodeNotSupported: "it does not know the request"
    case 3: "a parameter is wrong"
    case Self.insufficientResources: "it has not enough memory"
    case Self.invalidObject: "the firmware or its init packet does not pass its checks"
    case 7: "it does not know this type of object"
    case Self.notPermitted: "the request is not permitted now"
    case 0x0a: "the operation failed"
    case Self.extended: detail.map { Self.details[$0] ?? "reason \($0)" } ?? "no reason given"
    default: "result \(code)"
    }
  }

  private static let details: [UInt8: String] = [
    0x00: "no reason given", 0x01: "an invalid reason", 0x02: "the format of a request is wrong",
    0x03: "it does not know the request of the init packet", 0x04: "the init packet is not valid",
    0x05: "the firmware is older than the installed one", 0x06: "the firmware is for other hardware",
    0x07: "the firmware needs another SoftDevice", 0x08: "the signature is missing",
    0x09: "it does not know the kind of hash", 0x0a: "it cannot compute the hash",
    0x0b: "it does not know the kind of signature", 0x0c: "the signature or the hash is wrong",
    0x0d: "the firmware does not fit into its memory",
  ]

  /// The number for programs: the detail, if there is one, above the code.
  var number: Int { detail.map { Int($0) << 8 | Int(code) } ?? Int(code) }

  /// The error of a refused step, such as "the init packet".
  func error(of step: String) -> UpdateError {
    let isRefusal = [Self.insufficientResources, Self.invalidObject, Self.extended].contains(code)
    return UpdateError(
      isRefusal ? .refused : .deviceError, "the bootloader refuses \(step): \(words)", deviceCode: number)
  }
}
