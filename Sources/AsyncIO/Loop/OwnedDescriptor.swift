// SPDX-License-Identifier: MIT
internal import Glibc

/// A file descriptor with one owner, closed when the owner lets go.
package struct OwnedDescriptor: ~Copyable, Sendable {
  package let raw: Int32

  package init(adopting raw: Int32) { self.raw = raw }

  deinit { close(raw) }

  /// Hands the descriptor over: closing it is then the caller's duty.
  package consuming func release() -> Int32 {
    let raw = raw
    discard self
    return raw
  }
}
