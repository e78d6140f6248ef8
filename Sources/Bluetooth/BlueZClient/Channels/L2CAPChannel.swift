// SPDX-License-Identifier: MIT
package import AsyncIO
public import BLEFormats

/// A connection-oriented L2CAP channel of a link: packets in both directions, in order and at the speed of their
/// readers, beside the attributes.
///
/// The equivalent in CoreBluetooth is `CBL2CAPChannel`. BlueZ offers no channels on D-Bus: this is a socket of the
/// kernel, over the link that BlueZ has. The channel lasts until it is closed, released, or the link ends.
public actor L2CAPChannel {
  /// The number of the channel: its protocol and service multiplexer.
  public nonisolated let psm: UInt16
  /// The address of the other device; nil if it is not known.
  public nonisolated let peer: BluetoothAddress?
  /// The largest packet that the other device takes, in bytes.
  public nonisolated let maximumSendLength: Int
  /// The largest packet that this machine takes, in bytes.
  public nonisolated let maximumReceiveLength: Int

  /// The largest packet that this machine takes, unless the kernel says otherwise.
  package static let usualLength = 2048

  private let socket: ChannelSocket
  private let loop: EventLoop

  /// The executor of the event loop that reads the channel.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.actorExecutor }

  package init(
    _ socket: ChannelSocket, psm: UInt16, peer: BluetoothAddress?, maximumSendLength: Int,
    maximumReceiveLength: Int, on loop: EventLoop
  ) {
    (self.socket, self.psm, self.peer, self.loop) = (socket, psm, peer, loop)
    (self.maximumSendLength, self.maximumReceiveLength) = (maximumSendLength, maximumReceiveLength)
  }

  deinit {
    loop.submit { [socket] in socket.close() }
  }

  private var action: BLEError.Action { .useChannel(psm: psm, of: peer) }

  /// Sends a packet, and waits while the other device has no room: it grants credits for as much as it takes.
  ///
  /// When this returns, the kernel has the packet. Only an answer of the device shows that it has arrived.
  ///
  /// - Parameters:
  ///   - packet: 1 to ``maximumSendLength`` bytes.
  ///   - timeout: how long there may be no room; nil sets no limit.
  /// - Throws: ``BLEError``: `invalidLength`; `disconnected` when the channel is closed; `timedOut`, `cancelled` …
  public func send(_ packet: [UInt8], timeout: Duration? = nil) async throws(BLEError) {
    guard (1...maximumSendLength).contains(packet.count) else {
      throw BLEError(
        .invalidLength, during: action,
        "a packet has 1 to \(maximumSendLength) bytes, and this one \(packet.count)")
    }
    do {
      try await socket.send(packet, until: Deadline(after: timeout).instant)
    } catch {
      throw sendingError(error)
    }
  }

  /// Sends bytes in as many packets as they need.
  ///
  /// - Parameters:
  ///   - bytes: the bytes.
  ///   - timeout: how long there may be no room for the next packet; nil sets no limit.
  /// - Throws: ``BLEError`` as ``send(_:timeout:)`` does; how many of the bytes were sent is then unknown.
  public func send(contentsOf bytes: [UInt8], timeout: Duration? = nil) async throws(BLEError) {
    for start in stride(from: 0, to: bytes.count, by: maximumSendLength) {
      try await send(Array(bytes[start..<min(start + maximumSendLength, bytes.count)]), timeout: timeout)
    }
  }

  /// Waits until the packets that were sent have left this machine: the other device has granted credits for them, and
  /// they are on their way.
  ///
  /// Call it before ``close()``, which drops the others. They have arrived if the link lasts; only an answer of the
  /// device shows that it does.
  ///
  /// - Parameter timeout: how long the device may take nothing; nil sets no limit.
  /// - Throws: ``BLEError``: `disconnected` when the channel is closed, so that it is unknown how many have left;
  ///   `timedOut`, `cancelled` …
  public func waitUntilSent(timeout: Duration? = nil) async throws(BLEError) {
    try await waitUntilSent(timeout: timeout) { _ in }
  }

  /// Does the same; `note` is told how many bytes are left, at most.
  package func waitUntilSent(timeout: Duration?, note: @Sendable (Int) -> Void) async throws(BLEError) {
    do {
      try await socket.waitUntilSent(patience: timeout, note: note)
    } catch {
      throw sendingError(error)
    }
  }

  /// The maximum number of sent bytes that have not left this machine; nil if unknown.
  package var unsentCount: Int? { socket.unsentCount }

  private func sendingError(_ end: ChannelSocket.End) -> BLEError {
    if end == .timedOut {
      return BLEError(.timedOut, during: action, "the device took nothing more before the timeout")
    }
    return L2CAPSocket.error(end, during: action)
  }

  /// Waits for the next packet.
  ///
  /// Only one task may wait at a time.
  ///
  /// What is not received waits in the kernel; when it has enough, the other device gets no more credits.
  ///
  /// - Parameter timeout: how long it may take; nil sets no limit.
  /// - Returns: the packet; nil when the channel is closed.
  /// - Throws: ``BLEError``: `timedOut`, `cancelled`; `failed` with the reason of the kernel.
  public func receive(timeout: Duration? = nil) async throws(BLEError) -> [UInt8]? {
    do {
      return try await socket.receive(until: Deadline(after: timeout).instant)
    } catch .closed {
      return nil
    } catch {
      throw L2CAPSocket.error(error, during: action)
    }
  }

  /// Closes the channel.
  ///
  /// The kernel drops packets that the other device has not taken, and does not say which: wait for an answer of the
  /// device first, or with ``waitUntilSent(timeout:)``.
  /// A channel that is released closes in the same way.
  public func close() { socket.close() }
}

/// The security that the link of an L2CAP channel must have.
public enum L2CAPSecurity: UInt8, Sendable, Hashable, CaseIterable {
  /// Any link.
  case none = 1
  /// An encrypted one: the kernel pairs if the devices have not.
  case encrypted = 2
  /// An encrypted one of devices that have paired with a passkey or a comparison.
  case authenticated = 3
}
