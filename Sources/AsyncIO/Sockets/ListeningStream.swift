// SPDX-License-Identifier: MIT
internal import Glibc

/// What stream sockets that listen have in common, of whatever family.
package enum ListeningStream {
  /// The kind of a socket that does not block.
  package static let kind = Int32(
    SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)

  /// How many clients may wait.
  package static let backlog: Int32 = 16

  /// Returns the next client, which does not block, or nil if none is waiting.
  package static func accept(_ descriptor: Int32) -> OwnedDescriptor? {
    let client = Glibc.accept(descriptor, nil, nil)
    guard client >= 0 else { return nil }
    _ = fcntl(client, F_SETFD, FD_CLOEXEC)
    _ = fcntl(client, F_SETFL, O_NONBLOCK)
    return OwnedDescriptor(adopting: client)
  }
}
