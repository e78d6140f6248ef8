// SPDX-License-Identifier: MIT
internal import AsyncIO
public import BlueZClient
internal import DBus
internal import Glibc

/// An L2CAP channel that this machine offers: centrals open it, each once or several times.
///
/// It lasts until it is closed or released. If the adapter is switched off, or bluetoothd ends, what was opened ends;
/// the offer stays as long as the kernel has the adapter.
public actor PublishedChannel {
  /// The number that centrals use to open it.
  public nonisolated let psm: UInt16
  private let descriptor: Int32
  private let loop: EventLoop
  private var isClosed = false
  /// The task that waits for a channel.
  private var waiting: (source: SourceID, promise: Promise<Bool>)?

  /// The executor of the event loop that accepts channels.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.actorExecutor }

  /// Takes over a socket that listens.
  init(adopting listener: Int32, psm: UInt16, on loop: EventLoop) {
    (descriptor, self.psm, self.loop) = (listener, psm, loop)
  }

  deinit { if !isClosed { Glibc.close(descriptor) } }

  /// Waits until a central opens the channel.
  ///
  /// Only one task may wait at a time.
  ///
  /// - Returns: the channel; nil after ``close()``.
  /// - Throws: ``BLEError``: `cancelled`; `failed` with the reason of the kernel.
  public func accept() async throws(BLEError) -> L2CAPChannel? {
    let action = BLEError.Action.publishChannel(psm: psm)
    while !isClosed {
      if let channel = try L2CAPSocket.accept(from: descriptor, psm: psm, during: action, on: loop) {
        return channel
      }
      guard await waitForChannel() else { throw .cancelled(action) }
    }
    return nil
  }

  /// Waits until a channel may be there, or the offer is closed; returns false if the task is cancelled.
  private func waitForChannel() async -> Bool {
    let promise = Promise<Bool>()
    let source = loop.watch(descriptor, for: .readable) { _ in promise.fulfil(true) }
    waiting = (source, promise)
    let isReady = await promise.value(ifCancelled: false)
    if !isClosed { loop.unwatch(source) }
    waiting = nil
    return isReady
  }

  /// Offers it no longer, so that its number is free; channels that are open stay.
  public func close() {
    if isClosed { return }
    isClosed = true
    if let waiting { loop.unwatch(waiting.source) }
    waiting?.promise.fulfil(true)
    Glibc.close(descriptor)
  }
}
