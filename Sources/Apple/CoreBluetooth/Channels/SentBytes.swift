// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import Foundation

/// The bytes of an output stream that the kernel has not taken yet.
final class SentBytes: Sendable {
  private struct State {
    var status = StreamStatus()
    var bytes: [UInt8] = []
    /// The task that sends.
    var task: Task<Void, Never>?
    /// The promise that ends the task's wait for bytes.
    var arrival: Promise<Void>?

    var hasRoom: Bool { status.isWritable && bytes.count < SentBytes.limit }
  }

  private static let limit = 16_384
  /// The time that written data may wait for room after the stream was closed.
  private static let grace = Duration.seconds(5)

  private let channel: L2CAPChannel?
  private let ends: ChannelEnds?
  private let state = Lock(State())
  let events = StreamEvents()

  /// Without a channel, nothing can be written.
  init(to channel: L2CAPChannel?, _ ends: ChannelEnds?) { (self.channel, self.ends) = (channel, ends) }

  var status: StreamStatus { state.withLock { $0.status } }
  var hasRoom: Bool { state.withLock { $0.hasRoom } }

  // MARK: Life

  func open() {
    guard let channel else { return }
    let isFirst = state.withLock { state in
      guard state.status.open() else { return false }
      state.task = Task(executorPreference: EventLoop.shared) { [self] in
        do throws(BLEError) {
          while let packet = await nextPacket(channel.maximumSendLength) {
            try await channel.send(packet)
            sent(packet.count)
          }
        } catch {
          // A channel that the other device closed has an end, not an error.
          channelEnded(error.code == .disconnected ? nil : error)
        }
        ends?.end(.output)
      }
      return true
    }
    if isFirst { events.changed() }
  }

  /// Closes the stream after what was written is sent.
  func close() {
    let (former, task, arrival) = state.withLock { ($0.status.close(), $0.task, $0.arrival.take()) }
    guard former != .closed else { return }
    arrival?.fulfil(())
    if let task {
      Task {
        try? await EventLoop.shared.sleep(for: Self.grace)
        task.cancel()
      }
    } else {
      ends?.end(.output)
    }
    events.changed()
    events.close()
  }

  /// Ends the stream at once, unless it was closed: the program released it.
  func release() {
    let (phase, task) = state.withLock { ($0.status.phase, $0.task) }
    switch phase {
    case .notOpen: ends?.end(.output)
    case .open: task?.cancel()
    case .closed: break
    }
    events.close()
  }

  /// Handles the end of the channel: nothing more can be sent.
  func channelEnded(_ error: BLEError?) {
    let arrival = state.withLock { state in
      state.status.end(error)
      // What is left cannot be sent: a writer is at the end at once.
      state.status.reachEnd()
      state.bytes = []
      return state.arrival.take()
    }
    arrival?.fulfil(())
    events.changed()
  }

  /// Returns the next bytes to send, and waits for some; nil if the stream was closed, and all are sent.
  private func nextPacket(_ longest: Int) async -> [UInt8]? {
    while !Task.isCancelled {
      let (packet, arrival) = state.withLock { state -> ([UInt8]?, Promise<Void>?) in
        if !state.bytes.isEmpty { return (Array(state.bytes.prefix(longest)), nil) }
        guard state.status.isWritable else { return (nil, nil) }
        let arrival = Promise<Void>()
        state.arrival = arrival
        return (nil, arrival)
      }
      guard let arrival else { return packet }
      await arrival.value(ifCancelled: ())
    }
    return nil
  }

  private func sent(_ count: Int) {
    state.withLock { $0.bytes.removeFirst(min(count, $0.bytes.count)) }
    events.changed()
  }

  // MARK: Use

  /// Takes as many bytes as there is room for, and waits for some; returns -1 if the stream is not open, or has ended.
  func write(_ buffer: UnsafeBufferPointer<UInt8>) -> Int {
    events.wait { () -> Int? in
      let (count, arrival) = state.withLock { state -> (Int?, Promise<Void>?) in
        guard state.status.isWritable else {
          if let channel { state.status.failAtEnd(of: channel) }
          return (-1, nil)
        }
        guard !buffer.isEmpty else { return (0, nil) }
        let count = min(buffer.count, Self.limit - state.bytes.count)
        guard count > 0 else { return (nil, nil) }
        state.status.used()
        state.bytes += buffer[..<count]
        return (count, state.arrival.take())
      }
      arrival?.fulfil(())
      // Room that is left is a new event.
      if let count, count > 0 { events.signal() }
      return count
    }
  }

  /// Returns an event that the program does not know yet, and notes that it does.
  func nextEvent() -> Stream.Event? {
    state.withLock { $0.status.nextEvent(.hasSpaceAvailable, isReady: $0.hasRoom) }
  }
}
