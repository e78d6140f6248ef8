// SPDX-License-Identifier: MIT

/// Something that happened to what this machine offers.
public struct PeripheralEvent: Sendable {
  /// What happened.
  public enum Kind: Sendable {
    /// Bluetooth can be used, or not any more.
    case state(BluetoothState)
    /// An advertisement is on the air.
    case advertisingStarted(Advertising)
    /// An advertisement has ended by itself: its time was over.
    case advertisingEnded(Advertising)
    /// A device is connected. BlueZ does not say who began: a link that another program of this machine made counts too.
    case connected(Central)
    /// A device is no longer connected.
    case disconnected(Central)
    /// A central has subscribed, or a bonded central that has subscribed before is connected again; BlueZ does not say
    /// which.
    case subscribed(PublishedCharacteristic)
    /// No central is subscribed any more.
    case unsubscribed(PublishedCharacteristic)
    /// A central has read an attribute; the parts of a long value count once.
    case read(AnsweredRequest)
    /// A central has written an attribute.
    case wrote(AnsweredRequest)
    /// A request was refused.
    case refused(AnsweredRequest, ATTError)
    /// There is room again after ``PublishedCharacteristic/update(_:)`` has returned false.
    case isReady(PublishedCharacteristic)
    /// Everything is published and advertised again, after bluetoothd or the adapter was away, or on another adapter.
    case restored
    /// What could not be published or advertised again, and why: once, however often it is tried.
    ///
    /// It is tried again every 5 s if the error is recoverable.
    case failed(BLEError)
    /// Events that were lost because the reader was too slow.
    case missed(Int)
  }

  /// What happened.
  public let kind: Kind
  /// When.
  public let time: Timestamp

  package init(kind: Kind, time: Timestamp) {
    self.kind = kind
    self.time = time
  }
}

/// Everything that happens from the call of ``PeripheralManager/events(capacity:)`` on.
public typealias PeripheralEvents = BatchedSequence<PeripheralEvent>
