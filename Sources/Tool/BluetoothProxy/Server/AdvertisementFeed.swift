// SPDX-License-Identifier: MIT
internal import AsyncIO

/// Gathers advertisements into messages for all subscribers; confined to the loop's thread.
final class AdvertisementFeed {
  /// Clients take the time of a message for that of its advertisements: none waits longer.
  static let time = Duration.milliseconds(100)
  static let mostInMessage = 16

  private let loop: EventLoop
  private let send: (ServerMessage) -> Void
  private var waiting: [ForwardedAdvertisement] = []
  private var timer: TimerID?

  /// `send` gets each message, for every subscriber.
  init(on loop: EventLoop, _ send: @escaping (ServerMessage) -> Void) {
    (self.loop, self.send) = (loop, send)
  }

  func add(_ advertisements: some Sequence<ForwardedAdvertisement>) {
    for advertisement in advertisements {
      waiting.append(advertisement)
      if waiting.count == Self.mostInMessage { flush() }
    }
    if !waiting.isEmpty, timer == nil {
      timer = loop.schedule(at: LoopClock.now + Self.time) { [weak self] in
        self?.timer = nil
        self?.flush()
      }
    }
  }

  private func flush() {
    if let timer { loop.cancel(timer) }
    timer = nil
    guard !waiting.isEmpty else { return }
    let message = ServerMessage.advertisements(waiting)
    waiting.removeAll(keepingCapacity: true)
    send(message)
  }

  /// Forgets what waits: nobody listens any more.
  func clear() {
    if let timer { loop.cancel(timer) }
    (timer, waiting) = (nil, [])
  }
}
