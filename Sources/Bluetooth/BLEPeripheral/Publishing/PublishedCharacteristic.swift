// SPDX-License-Identifier: MIT
internal import AsyncIO

/// A characteristic of a published service.
public struct PublishedCharacteristic: Sendable, Hashable {
  /// The manager that publishes it.
  public let manager: PeripheralManager
  /// The UUID, which tells the kind of value.
  public let uuid: BluetoothUUID
  private let path: String
  private let attribute: Confined<NotifyingAttribute>

  /// The characteristic itself, for code on the loop's thread.
  var served: NotifyingAttribute { attribute.value }

  init(_ served: NotifyingAttribute, of manager: PeripheralManager) {
    (self.manager, path, uuid) = (manager, served.path, served.uuid)
    attribute = manager.loop.confine(served)
  }

  /// Returns whether both are the same characteristic of the same manager.
  public static func == (left: PublishedCharacteristic, right: PublishedCharacteristic) -> Bool {
    left.manager === right.manager && left.path == right.path
  }

  /// Hashes the values that ``==(_:_:)`` compares.
  public func hash(into hasher: inout Hasher) { hasher.combine(path) }
}

extension PublishedCharacteristic {
  /// The value in memory.
  public var value: [UInt8] { get async { await manager.value(of: self) } }

  /// The handle of the value; nil while the service is not registered.
  public var handle: UInt16? { get async { await manager.handle(of: self) } }

  /// True if a central is subscribed.
  ///
  /// BlueZ does not report which one, nor that a paired central is merely out of reach.
  public var isSubscribed: Bool { get async { await manager.isSubscribed(self) } }

  /// Sets the value, and sends it to every subscribed central.
  ///
  /// BlueZ's queue is unlimited, so the library limits it: up to 32 values may be on their way to bluetoothd;
  /// for an indicated characteristic one, until a central has confirmed it. A central gets at most its MTU
  /// less 3 bytes of a value: BlueZ cuts the rest.
  ///
  /// BlueZ: signals `PropertiesChanged`.
  ///
  /// - Parameter value: the value, up to 512 bytes.
  /// - Returns: whether there was room; if not, nothing changed, and ``PeripheralEvent/Kind/isReady(_:)``
  ///   follows.
  /// - Throws: ``BLEError``: `invalidLength`, or `notFound` if the service was removed.
  @discardableResult
  public func update(_ value: [UInt8]) async throws(BLEError) -> Bool {
    if sendAtOnce(value) { return true }
    return try await manager.updateInTurn(self, to: value)
  }

  /// Does the same as ``update(_:)``, but waits for room.
  ///
  /// - Parameters:
  ///   - value: the value, up to 512 bytes.
  ///   - timeout: how long to wait for room; nil sets no limit.
  /// - Throws: ``BLEError``: also `timedOut` or `cancelled`.
  @inlinable  // The frame of an asynchronous function costs as much as what is done here for a value.
  public func send(_ value: [UInt8], timeout: Duration? = .seconds(40)) async throws(BLEError) {
    if sendAtOnce(value) { return }
    try await sendInTurn(value, timeout: timeout)
  }

  @usableFromInline
  func sendInTurn(_ value: [UInt8], timeout: Duration?) async throws(BLEError) {
    try await manager.send(value, from: self, timeout: timeout)
  }

  /// Sends several values in order, each as soon as there is room.
  ///
  /// All values that fit are sent in one turn of the event loop, so that a caller on another thread switches
  /// threads once for many values.
  ///
  /// - Parameters:
  ///   - values: the values, each up to 512 bytes.
  ///   - timeout: how long to wait for room in total; nil sets no limit.
  /// - Throws: ``BLEError`` as ``send(_:timeout:)`` does; its message tells how many values were sent.
  public func send(contentsOf values: [[UInt8]], timeout: Duration? = .seconds(40)) async throws(BLEError) {
    guard let rest = values.firstIndex(where: { !sendAtOnce($0) }) else { return }
    try await manager.send(contentsOf: values[rest...], from: self, timeout: timeout)
  }

  /// Sends a value over a socket on the manager's loop, which costs a third of sending it through the
  /// manager.
  ///
  /// Returns false if the manager must send it; also every few values, so that the loop can serve others.
  @usableFromInline
  func sendAtOnce(_ value: [UInt8]) -> Bool {
    guard manager.loop.isCurrent else { return false }
    let served = served
    return served.takeTurn() && served.sendAtOnce(value)
  }
}
