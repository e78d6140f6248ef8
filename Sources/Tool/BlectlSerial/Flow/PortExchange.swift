// SPDX-License-Identifier: MIT
package import AsyncIO

/// Passes bytes between the near end of a serial port and the queues of a pump, whether or not there is a link.
package final class PortExchange: Sendable {
  /// The number of bytes that are read and written at once.
  private static let part = 16 << 10
  /// The time limit for the bytes before a person's end of the input.
  private static let endTime = Duration.seconds(2)
  /// The interval at which a port is polled for the bytes that its reader has left at the end.
  private static let restTime = Duration.milliseconds(10)
  /// The interval at which the kernel is polled for the same, which takes longer.
  private static let kernelTime = Duration.milliseconds(100)

  private let port: any SerialPort
  private let pump: BytePump
  private let drops: Bool
  private let begun = Promise<Void>()
  private let hasBegun = Lock(false)
  private let remainder = Lock((unsent: 0, unread: 0))

  /// `drops` is for what is written without a link, and else waits for one.
  package init(_ port: any SerialPort, _ pump: BytePump, drops: Bool) {
    (self.port, self.pump, self.drops) = (port, pump, drops)
  }

  /// The number of input bytes that were not sent, and of received bytes that no reader has taken, at the
  /// end.
  package var remaining: (unsent: Int, unread: Int) { remainder.withLock { $0 } }

  /// Lets a near end that uses the terminal begin, now that no question needs it; later calls, with the next links, do
  /// nothing.
  package func begin() {
    if hasBegun.exchange(true) { return }
    port.begin()
    begun.fulfil(())
  }

  /// Passes bytes while `body` moves them over links; then writes those that it received.
  ///
  /// - Throws: the error of `body`; why nothing more can be written.
  package func run(on loop: EventLoop, _ body: @escaping @Sendable () async throws -> Void) async throws {
    defer {
      remainder.exchange((pump.outbound.count + port.unsentCount, unreadCount))
      port.end()
    }
    let written = Promise<Void>()
    let isWritten = Lock(false)
    let finish: @Sendable () async -> Void = { [self] in
      pump.inbound.end()
      if port.endTime == nil { return await written.value(ifCancelled: ()) }
      await letReaderFinish(on: loop) { isWritten.withLock { $0 } }
    }
    try await loop.race(
      {
        do {
          try await body()
        } catch {
          await finish()
          throw error
        }
        await finish()
      },
      { try await self.readPort(on: loop) },
      {
        while let bytes = await self.pump.inbound.waitForBytes(Self.part) {
          self.pump.inbound.remove(try await self.port.write(bytes[...]))
        }
        isWritten.exchange(true)
        written.fulfil(())
        await Promise<Void>().value(ifCancelled: ())
      })
  }

  /// Waits until the reader has taken what was received, as long as it takes something within the time of the port.
  private func letReaderFinish(on loop: EventLoop, _ isWritten: () -> Bool) async {
    var (left, held) = (unreadCount, port.heldCount)
    var (change, look) = (LoopClock.now, LoopClock.now)
    while case let count = unreadCount, count > 0 || !isWritten() {
      if count != left { (left, change) = (count, LoopClock.now) }
      if LoopClock.now - look >= Self.kernelTime {
        look = LoopClock.now
        // The kernel takes more of us in large steps only.
        if case let now = port.heldCount, now != held { (held, change) = (now, look) }
      }
      guard let limit = port.endTime, LoopClock.now - change < limit else { return }
      do { try await loop.sleep(for: Self.restTime) } catch { return }
    }
  }

  /// The number of received bytes that no reader has taken.
  private var unreadCount: Int { pump.inbound.count + port.unreadCount }

  private func readPort(on loop: EventLoop) async throws {
    if port.usesTerminal { await begun.value(ifCancelled: ()) }
    while await pump.outbound.waitForRoom(), let bytes = try await port.read(Self.part) {
      if drops, !pump.isLinked { pump.refuse(bytes.count) } else { pump.outbound.add(bytes) }
    }
    if Task.isCancelled { return }
    pump.outbound.end()
    if port.endsWithInput {
      return try await loop.limited(to: Self.endTime) { await self.pump.outbound.waitUntilEmpty() }
    }
    await Promise<Void>().value(ifCancelled: ())
  }
}
