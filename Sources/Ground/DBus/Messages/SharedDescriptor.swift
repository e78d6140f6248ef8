// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc

/// A file descriptor that is sent with a message, and closed with the last message that holds it.
final class SharedDescriptor: Sendable {
  let raw: Int32

  init(adopting raw: Int32) { self.raw = raw }

  /// Duplicates a descriptor; fails if it is invalid, or if too many are open.
  init?(duplicating other: Int32) {
    raw = fcntl(other, F_DUPFD_CLOEXEC, 0)
    if raw < 0 { return nil }
  }

  deinit { close(raw) }

  /// Returns a duplicate with its own owner; nil if too many are open.
  func duplicate() -> OwnedDescriptor? {
    let copy = fcntl(raw, F_DUPFD_CLOEXEC, 0)
    return copy < 0 ? nil : OwnedDescriptor(adopting: copy)
  }
}
