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
  public var description: String { "<\(Hex.string(value))>" }
}
