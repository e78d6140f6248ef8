// SPDX-License-Identifier: MIT
internal import Glibc

/// A stream socket that threads of their own use, not tasks.
package enum BlockingSocket {
  /// The interval in milliseconds at which a caller is asked whether it still waits.
  package static let pause: Int32 = 100

  /// Sends bytes at the speed of the reader; returns false if it has ended, or `isOver` says so.
  package static func send(
    _ bytes: some Collection<UInt8>, to descriptor: Int32, unless isOver: () -> Bool = { false }
  ) -> Bool {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        if isOver() { return false }
        wait(for: POLLOUT, on: descriptor, pause)
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }

  /// Receives what has come; empty if nothing comes within a limit in milliseconds, nil at the end.
  package static func receive(from descriptor: Int32, within limit: Int32 = -1) -> [UInt8]? {
    wait(for: POLLIN, on: descriptor, limit)
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
      let received = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
      failure = received < 0 ? errno : 0
      count = max(0, received)
    }
    if bytes.isEmpty { return failure == EAGAIN || failure == EINTR ? [] : nil }
    return bytes
  }

  private static func wait(for events: Int32, on descriptor: Int32, _ limit: Int32) {
    var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    poll(&entry, 1, limit)
  }
}
