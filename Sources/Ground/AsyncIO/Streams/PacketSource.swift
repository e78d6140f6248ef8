// SPDX-License-Identifier: MIT
internal import CPlatform
internal import Glibc

/// Reads the packets of a SOCK_SEQPACKET socket, many with one system call; confined to the loop's thread.
package final class PacketSource {
  private static let packetSize = 1024
  private static let packetsAtOnce = 64

  private let loop: EventLoop
  private let descriptor: Int32
  private let received: @Sendable ([[UInt8]]) -> Void
  private let ended: @Sendable () -> Void
  private let buffer: UnsafeMutablePointer<UInt8>
  private var lengths = [Int32](repeating: 0, count: packetsAtOnce)
  private var source: SourceID?
  /// The number of packets to request at once.
  ///
  /// Preparing for 64 packets costs more than reading one.
  private var wantedAtOnce = 2
  /// Empty packets at the end of the data after a hang-up, which are real only if something follows them.
  private var heldEmpty = 0

  /// Starts reading; call on the loop's thread, where the handlers run too.
  ///
  /// `received` gets the packets of one system call, in order. `ended` is called once when the other end has
  /// closed the socket; not after ``close()``.
  package init(
    adopting socket: consuming OwnedDescriptor, on loop: EventLoop,
    received: @escaping @Sendable ([[UInt8]]) -> Void, ended: @escaping @Sendable () -> Void
  ) {
    self.loop = loop
    self.received = received
    self.ended = ended
    descriptor = socket.release()
    buffer = .allocate(capacity: PacketSource.packetSize * PacketSource.packetsAtOnce)
    source = loop.watch(descriptor, for: .readable) { [unowned self] events in
      read(isHungUp: events.isClosed)
    }
  }

  deinit {
    close()
    buffer.deallocate()
  }

  /// While true, nothing is read; set on the loop's thread.
  package var isPaused = false {
    didSet { if let source { loop.setInterest(isPaused ? [] : .readable, of: source) } }
  }

  /// Stops reading, and closes the socket; call on the loop's thread.
  package func close() {
    guard let source else { return }
    self.source = nil
    loop.unwatch(source)
    Glibc.close(descriptor)
  }

  /// Reads until the end, which is a read of nothing but empty packets after a hang-up.
  private func read(isHungUp: Bool) {
    let count = Int(
      casyncio_receive_packets(
        descriptor, buffer, PacketSource.packetSize, &lengths, Int32(wantedAtOnce)))
    guard count >= 0 else {
      if count == -Int(EAGAIN) || count == -Int(EINTR) {
        if isHungUp, count == -Int(EAGAIN) { finish() }
        return
      }
      return finish()
    }
    wantedAtOnce = min(PacketSource.packetsAtOnce, count < wantedAtOnce ? max(2, 2 * count) : 8 * count)
    let trailingEmpty = lengths[..<count].reversed().prefix { $0 == 0 }.count
    // The other end may have hung up since the poll.
    let isEnding = isHungUp || (trailingEmpty > 0 && isHungUpNow())
    if isEnding, trailingEmpty == count { return finish() }
    let wanted = isEnding ? count - trailingEmpty : count
    var packets = [[UInt8]](repeating: [], count: heldEmpty)
    packets.reserveCapacity(heldEmpty + wanted)
    for index in 0..<wanted {
      let length = min(Int(lengths[index]), PacketSource.packetSize)
      let start = UnsafePointer(buffer + index * PacketSource.packetSize)
      packets.append(Array(UnsafeBufferPointer(start: start, count: length)))
    }
    heldEmpty = count - wanted
    received(packets)
  }

  private func isHungUpNow() -> Bool {
    var entry = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&entry, 1, 0) > 0
  }

  private func finish() {
    guard source != nil else { return }
    close()
    ended()
  }
}
