// SPDX-License-Identifier: MIT

/// An event that concerns the services or advertisements of this machine.
public struct PeripheralEvent: Sendable {
  /// The kinds of events, with their objects.
  public enum Kind: Sendable {
    /// The availability of Bluetooth changed.
    case state(BluetoothState)
    /// An advertisement is on the air.
    case advertisingStarted(Advertising)
    /// An advertisement ended by itself: its time was over.
    case advertisingEnded(Advertising)
    /// A device connected. BlueZ does not report which side began: links of other programs of this machine
    /// count too.
    case connected(Central)
    /// A device disconnected.
    case disconnected(Central)
    /// A central subscribed, or a bonded subscriber reconnected; BlueZ does not report which central.
    case subscribed(PublishedCharacteristic)
    /// No central is subscribed any more.
    case unsubscribed(PublishedCharacteristic)
    /// A central read an attribute; the parts of a long value count once.
    case read(AnsweredRequest)
    /// A central wrote an attribute.
    case wrote(AnsweredRequest)
    /// A request was refused.
    case refused(AnsweredRequest, ATTError)
    /// There is room again after ``PublishedCharacteristic/update(_:)`` returned false.
    case isReady(PublishedCharacteristic)
    /// All services and advertisements are restored, after bluetoothd or the adapter was away, or on another
    /// adapter.
    case restored
    /// Restoring a service or an advertisement failed; reported once for all attempts.
    ///
    /// The attempt is repeated every 5 s if the error is recoverable.
    case failed(BLEError)
    /// The number of events dropped because the reader was too slow.
    case missed(Int)
  }

  /// The event, and its objects.
  public let kind: Kind
  /// The time of the event.
  public let time: Timestamp

  package init(kind: Kind, time: Timestamp) {
    self.kind = kind
    self.time = time
  }
}

/// All events since the call of ``PeripheralManager/events(capacity:)``.
public typealias PeripheralEvents = BatchedSequence<PeripheralEvent>

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
