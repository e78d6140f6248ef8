// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc

/// The place of a bus that is away: its first client is let in, and hung up on.
package enum AwayBus {
  private struct NoSocket: Error {}

  /// Waits until a client has tried to reach the bus in vain.
  ///
  /// - Parameter address: the address of the bus, a path.
  /// - Returns: false when none has come for two minutes.
  /// - Throws: when there can be no socket.
  package static func refuseClient(at address: String) async throws -> Bool {
    let path = String(address.droppingPrefix("unix:path=").prefix { $0 != "," })
    unlink(path)
    var place = sockaddr_un()
    place.sun_family = sa_family_t(AF_UNIX)
    let isFitting = withUnsafeMutableBytes(of: &place.sun_path) { bytes in
      guard path.utf8.count < bytes.count else { return false }
      bytes.copyBytes(from: path.utf8)
      return true
    }
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let isBound = withUnsafePointer(to: &place) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    guard isFitting, isBound, listen(listener, 8) == 0 else { throw NoSocket() }
    let outcome = Promise<Bool>()
    Thread.detach {
      var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
      let hasClient = poll(&entry, 1, 120_000) == 1
      unlink(path)
      close(listener)
      outcome.fulfil(hasClient)
    }
    return await VirtualTime.hold { await outcome.value }
  }
}

extension String {
  fileprivate func droppingPrefix(_ prefix: String) -> Substring {
    hasPrefix(prefix) ? dropFirst(prefix.count) : self[...]
  }
}
