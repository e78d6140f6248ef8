// SPDX-License-Identifier: MIT
internal import DBus

extension ATTError {
  /// The version of BlueZ from which on it carries 0xfd.
  private static let carriesImproperConfiguration = BlueZVersion(major: 5, minor: 76)

  /// Whether it reaches a central that reads, or one that writes.
  ///
  /// - Parameters:
  ///   - isRead: whether the central reads.
  ///   - version: the version of BlueZ; nil if it is unknown.
  /// - Returns: whether BlueZ passes it on; else the central gets 0x0e.
  package func isCarried(ofRead isRead: Bool, by version: BlueZVersion?) -> Bool {
    switch code {
    case 0x02: isRead
    case 0x03: !isRead
    case 0xfd: version.map { $0 >= Self.carriesImproperConfiguration } ?? false
    case 0x06, 0x07, 0x08, 0x0d, 0x0e, 0x80...0x9f, 0xfe: true
    default: false
    }
  }

  /// The error as BlueZ passes it on to a central.
  ///
  /// BlueZ carries 0x02 of reads, 0x03 of writes, 0x06, 0x07, 0x08, 0x0d, 0x80 to 0x9f, 0xfe and, from 5.76 on, 0xfd.
  /// Of all others it makes 0x0e.
  func reply(to call: Message, isRead: Bool) -> Message {
    let name: String
    switch code {
    case 0x02 where isRead, 0x03 where !isRead: name = "NotPermitted"
    case 0x06: name = "NotSupported"
    case 0x07: name = "InvalidOffset"
    case 0x08: name = "NotAuthorized"
    case 0x0d: name = "InvalidValueLength"
    case 0xfd: name = "ImproperlyConfigured"
    case 0xfe: name = "InProgress"
    // The only error whose text counts: a number from 0x80 to 0x9f is the code itself.
    default: name = "Failed"
    }
    return Message(errorTo: call, name: BlueZ.errorPrefix + name, text: "0x" + Hex.string([code]))
  }
}
