// SPDX-License-Identifier: MIT
internal import DBus

extension ATTErrorCode {
  /// The code that the daemon makes of a client's error.
  init(_ error: DBusError, isRead: Bool) {
    self.init(code: ATTErrorCode.code(error, isRead: isRead))
  }

  private static func code(_ error: DBusError, isRead: Bool) -> UInt8 {
    let prefix = "org.bluez.Error."
    // The client has left the bus.
    if error.name == ErrorName.noReply, error.origin == .reply { return 0x06 }
    guard error.origin == .reply, error.name.hasPrefix(prefix) else { return 0x0E }
    switch error.name.dropFirst(prefix.count) {
    case "Failed": return failed(error.message)
    case "NotSupported": return 0x06
    case "NotAuthorized": return 0x08
    case "InvalidValueLength": return 0x0D
    case "InvalidOffset": return 0x07
    case "InProgress": return 0xFE
    case "NotPermitted": return isRead ? 0x02 : 0x03
    default: return 0x0E
    }
  }

  /// The text may be a number in any notation of C.
  private static func failed(_ text: String) -> UInt8 {
    guard !text.isEmpty else { return 0x0E }
    let lower = text.lowercased()
    let number =
      lower.hasPrefix("0x")
      ? Int(lower.dropFirst(2), radix: 16) : Int(lower, radix: lower.hasPrefix("0") ? 8 : 10)
    guard let number else { return 0x80 }
    return (0x80...0x9F).contains(number) ? UInt8(number) : 0x0E
  }
}
