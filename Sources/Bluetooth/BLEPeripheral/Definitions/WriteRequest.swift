// SPDX-License-Identifier: MIT

/// A central's request to write an attribute.
///
/// BlueZ does not report whether the central waits for a response.
public struct WriteRequest: Sendable {
  /// The central that writes.
  public let central: Central
  /// The UUID of the characteristic or descriptor.
  public let uuid: BluetoothUUID
  /// The bytes.
  public let value: [UInt8]
  /// The position of the bytes in the value, usually 0.
  ///
  /// A long write in order arrives as one request. Prepared writes to several attributes arrive one after
  /// another: if one is refused, earlier ones stay written. BlueZ offers no transaction.
  public let offset: Int
  /// The ATT MTU of the link.
  public let mtu: Int
}
