// SPDX-License-Identifier: MIT
internal import AsyncIO

/// A characteristic of a service that is published.
public struct PublishedCharacteristic: Sendable, Hashable {
  /// The manager that publishes it.
  public let manager: PeripheralManager
  /// What kind of value it is.
  public let uuid: BluetoothUUID
  /// The object of the characteristic.
  ///
  /// Stored, although `served` has it: in a structure without it, `send(_:for:)` jumped to a wrong address in builds with
  /// Swift 6.3.1. A fault of the compiler is suspected, not proven.
  let path: String
  let served: NotifyingAttribute

  init(_ served: NotifyingAttribute, of manager: PeripheralManager) {
    (self.manager, self.served, uuid, path) = (manager, served, served.uuid, served.path)
  }

  /// Whether both are the same characteristic of the same manager.
  public static func == (left: PublishedCharacteristic, right: PublishedCharacteristic) -> Bool {
    left.manager === right.manager && left.path == right.path
  }

  /// Hashes what makes it that characteristic.
  public func hash(into hasher: inout Hasher) { hasher.combine(path) }
}

extension PublishedCharacteristic {
  /// The value in memory.
  public var value: [UInt8] { get async { await manager.value(of: self) } }

  /// The handle of the value; nil while the service is not registered.
  public var handle: UInt16? { get async { await manager.handle(of: self) } }

  /// Whether a central has subscribed.
  ///
  /// BlueZ does not say which, and does not take it back when a paired central only goes out of reach.
  public var isSubscribed: Bool { get async { await manager.isSubscribed(self) } }

  /// Sets the value, and sends it to every central that has subscribed.
  ///
  /// BlueZ queues without a limit, so the library has one: 32 values may be on their way to bluetoothd, of an indicated
  /// characteristic one until a central has confirmed it. A central gets at most its MTU less 3 bytes of a value: BlueZ
  /// cuts the rest.
  ///
  /// BlueZ: signals `PropertiesChanged`.
  ///
  /// - Parameter value: the value, up to 512 bytes.
  /// - Returns: whether there was room; if not, nothing has changed, and ``PeripheralEvent/Kind/isReady(_:)`` follows.
  /// - Throws: ``BLEError``: `invalidLength`, or `notFound` when the service was removed.
  @discardableResult
  public func update(_ value: [UInt8]) async throws(BLEError) -> Bool {
    if sendAtOnce(value) { return true }
    return try await manager.updateInTurn(self, to: value)
  }

  /// Does the same as ``update(_:)``, but waits for room.
  ///
  /// - Parameters:
  ///   - value: the value, up to 512 bytes.
  ///   - timeout: how long to wait for room; nil is without limit.
  /// - Throws: ``BLEError``: `timedOut` or `cancelled`, too.
  @inlinable  // The frame of an asynchronous function costs as much as what is done here for a value.
  public func send(_ value: [UInt8], timeout: Duration? = .seconds(40)) async throws(BLEError) {
    if sendAtOnce(value) { return }
    try await sendInTurn(value, timeout: timeout)
  }

  @usableFromInline
  func sendInTurn(_ value: [UInt8], timeout: Duration?) async throws(BLEError) {
    try await manager.send(value, from: self, timeout: timeout)
  }

  /// Sends several values, in order, as soon as there is room for each.
  ///
  /// All that find room are sent in one turn of the event loop, so that a caller on another thread changes threads once
  /// for many values.
  ///
  /// - Parameters:
  ///   - values: the values, each up to 512 bytes.
  ///   - timeout: how long to wait for room in all; nil is without limit.
  /// - Throws: ``BLEError`` as ``send(_:timeout:)`` does; its message says how many values were sent.
  public func send(contentsOf values: [[UInt8]], timeout: Duration? = .seconds(40)) async throws(BLEError) {
    guard let rest = values.firstIndex(where: { !sendAtOnce($0) }) else { return }
    try await manager.send(contentsOf: values[rest...], from: self, timeout: timeout)
  }

  /// Sends a value over a socket if the caller runs on the manager's loop: to go to the manager and back costs three times
  /// as much.
  ///
  /// - Returns: whether it was sent. If not, the manager has to do it: also after some values, so that the loop can serve
  ///   others.
  @usableFromInline
  func sendAtOnce(_ value: [UInt8]) -> Bool {
    manager.loop.isCurrent && served.takeTurn() && served.sendAtOnce(value)
  }
}
