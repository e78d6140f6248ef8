// SPDX-License-Identifier: MIT

/// Passkeys as people see them: six digits.
package enum PasskeyText {
  package static func text(_ passkey: UInt32) -> String {
    let digits = String(passkey)
    return String(repeating: "0", count: max(0, 6 - digits.utf8.count)) + digits
  }

  package static func passkey(_ text: String) -> UInt32? {
    let isDigits = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    return text.utf8.count == 6 && isDigits ? UInt32(text) : nil
  }
}
