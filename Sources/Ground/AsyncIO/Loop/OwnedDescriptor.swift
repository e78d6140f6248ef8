// SPDX-License-Identifier: MIT
internal import Glibc

/// A file descriptor with one owner, closed when the owner releases it.
package struct OwnedDescriptor: ~Copyable, Sendable {
  package let raw: Int32

  package init(adopting raw: Int32) { self.raw = raw }

  deinit { close(raw) }

  /// Returns the descriptor, which the caller must close.
  package consuming func release() -> Int32 {
    let raw = raw
    discard self
    return raw
  }
}
