// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import Foundation

/// The bytes of a channel that its input stream has not read yet.
///
/// While they are many, no more are received: the other device gets no credits, and waits.
final class ReceivedBytes: Sendable {
  private struct State {
    var status = StreamStatus()
    var bytes: [UInt8] = []
    /// The number of bytes that were read.
    var start = 0
    /// The task that receives.
    var task: Task<Void, Never>?
    /// The promise that ends the task's wait for room.
    var room: Promise<Void>?

    var count: Int { bytes.count - start }
  }

  private static let limit = 65_536

  private let channel: L2CAPChannel
  private let ends: ChannelEnds
  /// Called when the channel has ended, with the reason.
  private let onEnd: @Sendable (BLEError?) -> Void
  private let state = Lock(State())
  let events = StreamEvents()

  init(
    from channel: L2CAPChannel, _ ends: ChannelEnds, onEnd: @escaping @Sendable (BLEError?) -> Void
  ) { (self.channel, self.ends, self.onEnd) = (channel, ends, onEnd) }

  var status: StreamStatus { state.withLock { $0.status } }
  var hasBytes: Bool { state.withLock { $0.status.isOpen && $0.count > 0 } }

  // MARK: Life

  func open() {
    let isFirst = state.withLock { state in
      guard state.status.open() else { return false }
      state.task = Task(executorPreference: EventLoop.shared) { [self, channel] in
        do throws(BLEError) {
          while let packet = try await channel.receive() { await append(packet) }
          end(nil)
        } catch {
          end(error.code == .disconnected ? nil : error)
        }
      }
      return true
    }
    if isFirst { events.changed() }
  }

  func close() {
    let task = state.withLock { state in
      _ = state.status.close()
      (state.bytes, state.start) = ([], 0)
      return state.task
    }
    task?.cancel()
    ends.end(.input)
    events.changed()
    events.close()
  }

  /// Takes a packet of the channel, and waits until there is room for the next one.
  private func append(_ packet: [UInt8]) async {
    let room = state.withLock { state -> Promise<Void>? in
      guard state.status.isOpen else { return nil }
      if state.start > 0 {
        state.bytes.removeFirst(state.start)
        state.start = 0
      }
      state.bytes += packet
      state.room = state.count < Self.limit ? nil : Promise()
      return state.room
    }
    events.changed()
    await room?.value(ifCancelled: ())
  }

  private func end(_ error: BLEError?) {
    // Closing the stream ends its task, and not the channel.
    guard state.withLock({ $0.status.isOpen }) else { return }
    // First: a reader that comes to the end finds the other stream at its end, too.
    onEnd(error)
    state.withLock { $0.status.end(error) }
    events.changed()
  }

  // MARK: Use

  /// Copies bytes, and waits for the first one; returns 0 at the end of the channel, -1 if the stream is not open.
  func read(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    events.wait { () -> Int? in
      let (count, room) = state.withLock { state -> (Int?, Promise<Void>?) in
        guard state.status.isOpen else { return (-1, nil) }
        guard !buffer.isEmpty else { return (0, nil) }
        state.status.used()
        let count = min(buffer.count, state.count)
        guard count > 0 else {
          guard state.status.hasEnded else { return (nil, nil) }
          state.status.reachEnd()
          return (state.status.error == nil ? 0 : -1, nil)
        }
        _ = buffer.update(fromContentsOf: state.bytes[state.start..<state.start + count])
        state.start += count
        return (count, state.count < Self.limit ? state.room.take() : nil)
      }
      room?.fulfil(())
      // Bytes that are left, or the end behind them, are a new event.
      if let count, count > 0 { events.signal() }
      return count
    }
  }

  /// Returns an event that the program does not know yet, and notes that it does.
  func nextEvent() -> Stream.Event? {
    state.withLock { $0.status.nextEvent(.hasBytesAvailable, isReady: $0.count > 0) }
  }
}
