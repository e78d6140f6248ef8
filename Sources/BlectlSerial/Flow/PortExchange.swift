// SPDX-License-Identifier: MIT
package import AsyncIO

/// Passes bytes between the near end of a serial port and the queues of a pump, whether or not there is a link.
package final class PortExchange: Sendable {
  /// How many bytes are read and written at once.
  private static let part = 16 << 10
  /// How long the bytes before a person's end of the input may take.
  private static let endTime = Duration.seconds(2)

  private let port: any SerialPort
  private let pump: BytePump
  private let drops: Bool
  private let begun = Promise<Void>()

  /// `drops` is for what is written without a link, and else waits for one.
  package init(_ port: any SerialPort, _ pump: BytePump, drops: Bool) {
    (self.port, self.pump, self.drops) = (port, pump, drops)
  }

  /// Lets a near end that uses the terminal begin, now that no question needs it.
  package func begin() {
    port.begin()
    begun.fulfil(())
  }

  /// Passes bytes while `body` moves them over links; then writes those that it received.
  ///
  /// - Throws: the error of `body`; why nothing more can be written.
  package func run(on loop: EventLoop, _ body: @escaping @Sendable () async throws -> Void) async throws {
    defer { port.end() }
    let written = Promise<Void>()
    try await loop.race(
      {
        do {
          try await body()
        } catch {
          self.pump.inbound.end()
          await written.value(ifCancelled: ())
          throw error
        }
        self.pump.inbound.end()
        await written.value(ifCancelled: ())
      },
      { try await self.readPort(on: loop) },
      {
        while let bytes = await self.pump.inbound.next(Self.part) { try await self.port.write(bytes) }
        written.fulfil(())
        await Promise<Void>().value(ifCancelled: ())
      })
  }

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
