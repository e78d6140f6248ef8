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
