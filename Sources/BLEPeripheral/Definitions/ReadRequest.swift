// SPDX-License-Identifier: MIT

/// A central reads an attribute.
public struct ReadRequest: Sendable {
  /// Who reads.
  public let central: Central
  /// The UUID of the characteristic or descriptor.
  public let uuid: BluetoothUUID
  /// Where the central begins to read: mostly 0.
  ///
  /// The library cuts the value. The parts of a long value that follow the first are served from it, without a request.
  public let offset: Int
  /// The ATT MTU of the link: one response has room for one byte less.
  public let mtu: Int
}
