// SPDX-License-Identifier: MIT

/// An answered request of a central for an attribute.
public struct AnsweredRequest: Sendable, Hashable {
  /// The central that sent the request.
  public let central: Central
  /// The service that contains the attribute.
  public let service: BluetoothUUID
  /// The characteristic, or the owner of the descriptor.
  public let characteristic: BluetoothUUID
  /// The descriptor; nil for the value of the characteristic.
  public let descriptor: BluetoothUUID?
  /// The handle of the attribute; nil before BlueZ has set it.
  public let handle: UInt16?
  /// The position of the bytes in the value, usually 0.
  public let offset: Int
  /// The bytes that were read or written; none if the request was refused.
  ///
  /// For a long value that is read from its start, this is the whole value.
  public let value: [UInt8]

  /// The UUID of the attribute.
  public var uuid: BluetoothUUID { descriptor ?? characteristic }
}
