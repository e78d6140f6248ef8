// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc
internal import PeripheralEmulator

/// The daemon's end of a socket that a client uses instead of calls: each packet is a value.
final class AcquiredSocket {
  private let loop: EventLoop
  private var descriptor: OwnedDescriptor?
  private var source: SourceID?
  private var receivePending: () -> Void = {}

  private init(_ descriptor: consuming OwnedDescriptor, loop: EventLoop) {
    self.descriptor = consume descriptor
    self.loop = loop
  }

  deinit { close() }

  /// Creates a pair of connected sockets, or returns nil if the system is out of descriptors.
  static func pair(on loop: EventLoop) -> (ours: AcquiredSocket, theirs: Int32)? {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
    return (AcquiredSocket(OwnedDescriptor(adopting: ends[0]), loop: loop), ends[1])
  }

  /// Calls `onPacket` for each packet of the client, and `onClose` once when the client closes its end.
  func watch(onPacket: @escaping ([UInt8]) -> Void, onClose: @escaping () -> Void) {
    guard let raw else { return }
    receivePending = { [weak self] in self?.receive(onPacket: onPacket, onClose: onClose) }
    source = loop.watch(raw, for: .readable) { [weak self] _ in self?.receivePending() }
  }

  /// Handles packets and the client's close now: bluetoothd handles both before a call that was sent later.
  func catchUp() { receivePending() }

  private var raw: Int32? {
    switch descriptor {
    case .some(let descriptor): descriptor.raw
    case .none: nil
    }
  }

  /// Sends a packet, which is lost if the socket is full.
  func send(_ bytes: [UInt8]) {
    if let raw { _ = Glibc.send(raw, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) }
  }

  /// True if the socket is not writable, which Linux reports from a quarter of its buffer.
  var isCongested: Bool {
    guard let raw else { return false }
    return !AcquiredSocket.polls(raw, for: POLLOUT)
  }

  private func receive(onPacket: ([UInt8]) -> Void, onClose: () -> Void) {
    var buffer = [UInt8](repeating: 0, count: AttributeServer.maximumLength)
    while let raw {
      let count = recv(raw, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count > 0 {
        onPacket(Array(buffer[..<count]))
      } else if count == 0, !AcquiredSocket.polls(raw) {
        return onPacket([])
      } else if count < 0, errno == EAGAIN || errno == EINTR {
        break
      } else {
        return onClose()
      }
    }
  }

  /// Returns whether one of these events is pending or the client has closed its end.
  private static func polls(_ raw: Int32, for events: Int32 = 0) -> Bool {
    var request = pollfd(fd: raw, events: Int16(events), revents: 0)
    return poll(&request, 1, 0) == 1
  }

  /// Closes our end: the client then reads the end of the stream.
  func close() {
    if let source { loop.unwatch(source) }
    source = nil
    descriptor = nil
    receivePending = {}
  }
}
