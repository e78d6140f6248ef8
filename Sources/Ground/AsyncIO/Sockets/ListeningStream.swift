// SPDX-License-Identifier: MIT
internal import CPlatform
internal import Glibc

/// The common parts of listening stream sockets of any family.
package enum ListeningStream {
  /// The kind of a socket that does not block.
  package static let kind = Int32(
    SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)

  /// The number of clients that may wait.
  package static let backlog: Int32 = 16

  /// Returns the next client, which does not block, or nil if none is waiting.
  ///
  /// While the process or the system is out of descriptors, clients are hung up on: one that waits would keep the loop
  /// busy.
  package static func accept(_ listener: Int32) -> OwnedDescriptor? {
    let client = spare.withLock { spare in
      if spare < 0 { spare = openSpare() }
      while true {
        let client = casyncio_accept(listener)
        switch -client {
        case EINTR, ECONNABORTED: continue
        case EMFILE, ENFILE:
          guard spare >= 0 else { return client }
          close(spare)
          let refused = casyncio_accept(listener)
          if refused >= 0 { close(refused) }
          spare = openSpare()
          if refused < 0 { return refused }
        default: return client
        }
      }
    }
    return client < 0 ? nil : OwnedDescriptor(adopting: client)
  }

  /// A descriptor that is given up for a moment when there are no others; -1 if there is none.
  private static let spare = Lock<Int32>(-1)

  private static func openSpare() -> Int32 { open("/dev/null", O_RDONLY | O_CLOEXEC) }
}
