// SPDX-License-Identifier: MIT

/// A request of a central for an attribute, once it is answered.
public struct AnsweredRequest: Sendable, Hashable {
  /// Who asked.
  public let central: Central
  /// The service that contains the attribute.
  public let service: BluetoothUUID
  /// The characteristic, or the one that has the descriptor.
  public let characteristic: BluetoothUUID
  /// The descriptor; nil for the value of the characteristic.
  public let descriptor: BluetoothUUID?
  /// The handle of the attribute; nil before BlueZ has set it.
  public let handle: UInt16?
  /// Where in the value the bytes belong: mostly 0.
  public let offset: Int
  /// The bytes that were read or written; none if the request was refused.
  ///
  /// Of a long value that is read from its beginning, these are all bytes.
  public let value: [UInt8]

  /// The UUID of the attribute.
  public var uuid: BluetoothUUID { descriptor ?? characteristic }
}
