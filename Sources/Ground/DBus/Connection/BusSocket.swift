// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import CDBus
internal import Glibc

/// Delivers the messages of a bus's socket one by one, and sends them in batches; confined to the loop's
/// thread.
final class BusSocket {
  /// Above this many bytes, messages are sent at once, not at the end of the turn.
  private static let parcelSize = 1 << 16
  /// The number of reads from the socket before other sources of the loop get their turn.
  private static let readsAtOnce = 16

  private let loop: EventLoop
  private let descriptor: Int32
  private let gathersMessages: Bool
  private let received: (Message) -> Void
  private let ended: () -> Void
  private var reader: MessageReader
  private var sender: MessageSender
  private var source: SourceID?
  private var lastSerial: UInt32 = 1  // the serial of Hello
  private var isFlushing = false
  private var isBlocked = false
  /// Reads the rest: the other side accepts nothing more, but what it has sent still counts.
  private var lastRead: TimerID?

  /// Starts reading.
  ///
  /// - Parameters:
  ///   - descriptor: a non-blocking stream socket, at the start of a message; not closed here.
  ///   - loop: the loop that everything runs on.
  ///   - gathersMessages: whether messages sent in one turn of the loop are written together at its end.
  ///   - received: called with each message, in order.
  ///   - ended: called once when the other side has closed or sends invalid D-Bus, after all messages before
  ///     that; never during ``send(_:)``, and not after ``close()``.
  init(
    _ descriptor: Int32, on loop: EventLoop, gathersMessages: Bool, received: @escaping (Message) -> Void,
    ended: @escaping () -> Void
  ) {
    self.loop = loop
    self.descriptor = descriptor
    self.gathersMessages = gathersMessages
    self.received = received
    self.ended = ended
    reader = MessageReader(descriptor)
    sender = MessageSender(descriptor)
    source = loop.watch(descriptor, for: .readable) { [unowned self] events in
      // A handler may release this object.
      withExtendedLifetime(self) { ready(events) }
    }
  }

  deinit { close() }

  /// Stops, and drops unwritten messages.
  func close() {
    if let source { loop.unwatch(source) }
    source = nil
    if let lastRead { loop.cancel(lastRead) }
    lastRead = nil
  }

  private func end() {
    guard source != nil else { return }
    close()
    ended()
  }

  private func ready(_ events: IOEvents) {
    if events.contains(.writable) { flush() }
    if events.contains(.readable) || events.isClosed { receive() }
  }

  // MARK: Receiving

  private func receive() {
    for _ in 0..<BusSocket.readsAtOnce {
      let outcome = reader.read()
      do throws(DBusError) {
        while source != nil, let message = try reader.next() { received(message) }
      } catch {
        return end()
      }
      if source == nil { return }
      switch outcome {
      case .ended: return end()
      case .empty: return lastRead == nil ? () : end()
      case .drained: if lastRead == nil { return }
      case .more: break
      }
    }
    if lastRead != nil { readRest() }
  }

  /// Reads what has arrived in the next turns of the loop, and ends behind it; nothing more is sent.
  private func readRest() {
    sender = MessageSender(descriptor)
    if let lastRead { loop.cancel(lastRead) }
    lastRead = loop.schedule(at: LoopClock.now) { [unowned self] in withExtendedLifetime(self) { receive() } }
  }

  // MARK: Sending

  var outgoingByteCount: Int { sender.count }

  /// Numbers a message, sends it at once or at the end of the loop's turn, and returns its serial number.
  ///
  /// If the other side accepts nothing more, the message is dropped, and `ended` is called later.
  func send(_ message: Message) -> UInt32 {
    lastSerial = lastSerial == .max ? 1 : lastSerial + 1
    message.setSerial(lastSerial)
    if lastRead != nil { return lastSerial }
    sender.add(message)
    if isBlocked { return lastSerial }
    if !gathersMessages || sender.count >= BusSocket.parcelSize {
      flush()
    } else if !isFlushing {
      isFlushing = true
      loop.atEndOfTurn { [weak self] in self?.flush() }
    }
    return lastSerial
  }

  private func flush() {
    isFlushing = false
    guard let source, lastRead == nil else { return }
    guard sender.flush() else {
      loop.setInterest(.readable, of: source)
      return readRest()
    }
    guard isBlocked == sender.isEmpty else { return }
    isBlocked = !sender.isEmpty
    loop.setInterest(isBlocked ? [.readable, .writable] : .readable, of: source)
  }

  /// Writes the pending messages within a time limit, without serving anything else.
  func drain(for limit: Duration) {
    let deadline = LoopClock.now + limit
    while source != nil, sender.flush(), !sender.isEmpty, LoopClock.now < deadline {
      var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = poll(&entry, 1, 20)
    }
  }
}
