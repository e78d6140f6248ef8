// SPDX-License-Identifier: MIT

/// A central writes an attribute.
///
/// BlueZ does not say whether the central waits for a response.
public struct WriteRequest: Sendable {
  /// Who writes.
  public let central: Central
  /// The UUID of the characteristic or descriptor.
  public let uuid: BluetoothUUID
  /// The bytes.
  public let value: [UInt8]
  /// Where in the value the bytes belong: mostly 0.
  ///
  /// A long write in order arrives as one request. Prepared writes to several attributes arrive one after another: if one
  /// is refused, those before it stay written. BlueZ offers no transaction.
  public let offset: Int
  /// The ATT MTU of the link.
  public let mtu: Int
}
