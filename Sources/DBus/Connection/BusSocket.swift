// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import CDBus
internal import Glibc

/// The socket of a bus connection on an event loop: messages come one by one, and leave together.
///
/// Confined to the loop's thread.
final class BusSocket {
  /// More than this is not kept back to the end of the turn.
  private static let parcelSize = 1 << 16
  /// How often the socket is read before others on the loop have their turn.
  private static let readsAtOnce = 16

  private let loop: EventLoop
  private let descriptor: Int32
  private let gathersMessages: Bool
  private let received: (Message) -> Void
  private let ended: () -> Void
  private var reader: MessageReader
  private var sender: MessageSender
  private var source: SourceID?
  private var lastSerial: UInt32 = 1  // that of Hello
  private var isFlushing = false
  private var isBlocked = false

  /// Begins to read.
  ///
  /// - Parameters:
  ///   - descriptor: a non-blocking stream socket, at the beginning of a message; it stays its owner's.
  ///   - loop: where everything happens.
  ///   - gathersMessages: whether what is sent in one turn of the loop is written together at its end.
  ///   - received: called with each message, in order.
  ///   - ended: called once, when the other side is gone or sends no D-Bus; not after ``close()``.
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
      // A handler may let go of us.
      withExtendedLifetime(self) { ready(events) }
    }
  }

  deinit { close() }

  /// Stops; what waits to be written is lost.
  func close() {
    if let source { loop.unwatch(source) }
    source = nil
  }

  private func end() {
    guard source != nil else { return }
    close()
    ended()
  }

  private func ready(_ events: IOEvents) {
    if events.contains(.writable) { flush() }
    if !events.isDisjoint(with: [.readable, .hangup, .error]) { receive() }
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
      switch outcome {
      case .ended: return end()
      case .drained: return
      case .more: if source == nil { return }
      }
    }
  }

  // MARK: Sending

  /// How many bytes wait to be written.
  var outgoingByteCount: Int { sender.count }

  /// Numbers a message and sends it: at once, or at the latest when the loop's turn ends.
  ///
  /// - Returns: its number.
  func send(_ message: Message) -> UInt32 {
    lastSerial = lastSerial == .max ? 1 : lastSerial + 1
    message.setSerial(lastSerial)
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
    guard let source else { return }
    guard sender.flush() else { return end() }
    guard isBlocked == sender.isEmpty else { return }
    isBlocked = !sender.isEmpty
    loop.setInterest(isBlocked ? [.readable, .writable] : .readable, of: source)
  }

  /// Writes what waits, for at most a while, without serving anything else.
  func drain(for limit: Duration) {
    let deadline = LoopClock.now + limit
    while source != nil, sender.flush(), !sender.isEmpty, LoopClock.now < deadline {
      var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = poll(&entry, 1, 20)
    }
  }
}
