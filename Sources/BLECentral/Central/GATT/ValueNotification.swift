// SPDX-License-Identifier: MIT

/// A value that a device has sent by itself, as a notification or an indication.
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

/// How notifications travel from BlueZ to this process.
public enum NotificationTransport: String, Sendable, Hashable, CaseIterable {
  /// As signals of the bus: StartNotify.
  ///
  /// Other programs may subscribe too.
  case signal
  /// Over a socket of our own: AcquireNotify.
  ///
  /// It is cheaper and exclusive, and dangerous before BlueZ 5.84: a subscription that fails leaves the daemon stuck
  /// with the socket, and may crash it.
  case socket
}
