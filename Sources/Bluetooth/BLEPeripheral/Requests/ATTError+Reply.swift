// SPDX-License-Identifier: MIT
internal import DBus

extension ATTError {
  /// The first version of BlueZ that transmits 0xfd.
  private static let carriesImproperConfiguration = BlueZVersion(major: 5, minor: 76)

  /// Returns whether BlueZ transmits the error to a central that reads or writes; if not, the central gets
  /// 0x0e.
  package func isCarried(ofRead isRead: Bool, by version: BlueZVersion?) -> Bool {
    guard code == 0xfd else { return name(ofRead: isRead) != nil }
    return version.map { $0 >= Self.carriesImproperConfiguration } ?? false
  }

  /// Makes the reply for a central; BlueZ replaces errors that it cannot transmit by 0x0e.
  func reply(to call: Message, isRead: Bool) -> Message {
    let name = name(ofRead: isRead) ?? "Failed"
    return Message(errorTo: call, name: BlueZ.errorPrefix + name, text: "0x" + Hex.string([code]))
  }

  /// BlueZ's name for the error; nil if BlueZ cannot transmit it.
  private func name(ofRead isRead: Bool) -> String? {
    switch code {
    case 0x02: isRead ? "NotPermitted" : nil
    case 0x03: isRead ? nil : "NotPermitted"
    case 0x06: "NotSupported"
    case 0x07: "InvalidOffset"
    case 0x08: "NotAuthorized"
    case 0x0d: "InvalidValueLength"
    case 0xfd: "ImproperlyConfigured"
    case 0xfe: "InProgress"
    // The only error whose text matters: a number from 0x80 to 0x9f is the code itself.
    case 0x0e, 0x80...0x9f: "Failed"
    default: nil
    }
  }
}
