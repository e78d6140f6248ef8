// SPDX-License-Identifier: MIT

/// A value that a device sent by itself.
public struct ValueNotification: Sendable, Hashable {
  /// The value.
  public let value: [UInt8]
  /// When it was read from the kernel.
  public let time: Timestamp
}

extension ValueNotification: CustomStringConvertible {
  /// The value in hexadecimal between angle brackets: `<9f5436>`.
  public var description: String {
    let digits = value.flatMap { [HexDigit.lower($0 >> 4), HexDigit.lower($0)] }
    return "<" + String(decoding: digits, as: UTF8.self) + ">"
  }
}

/// The way that notifications take from BlueZ to us.
public enum NotificationTransport: String, Sendable, Hashable, CaseIterable {
  /// As signals of the bus: StartNotify. Other programs may subscribe too.
  case signal
  /// Over a socket of our own: AcquireNotify. Cheaper, exclusive, and before BlueZ 5.84 dangerous: when the subscription
  /// fails, the daemon is stuck with it, and may crash.
  case socket
}
