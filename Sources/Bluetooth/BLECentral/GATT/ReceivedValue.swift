// SPDX-License-Identifier: MIT

/// A value that a device sent (as a notification, an indication or the answer to a read), and when it
/// arrived.
public struct ReceivedValue: Sendable, Hashable {
  /// The value.
  public let value: [UInt8]
  /// The time at which the value was read from the kernel.
  public let time: Timestamp

  package init(_ value: [UInt8], at time: Timestamp) {
    self.value = value
    self.time = time
  }
}

extension ReceivedValue: CustomStringConvertible {
  /// The value in hexadecimal between angle brackets: `<9f5436>`.
  public var description: String { "<\(Hex.string(value))>" }
}
