// SPDX-License-Identifier: MIT

/// A central's request to read an attribute.
public struct ReadRequest: Sendable {
  /// The central that reads.
  public let central: Central
  /// The UUID of the characteristic or descriptor.
  public let uuid: BluetoothUUID
  /// The position in the value where the read starts, usually 0.
  ///
  /// The library cuts the value. Later parts of a long value come from the first answer, without a request.
  public let offset: Int
  /// The ATT MTU of the link: one response carries one byte less.
  public let mtu: Int
}
