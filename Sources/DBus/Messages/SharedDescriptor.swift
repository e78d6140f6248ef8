// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc

/// A file descriptor that travels with a message, closed with the last message that holds it.
final class SharedDescriptor: Sendable {
  let raw: Int32

  init(adopting raw: Int32) { self.raw = raw }

  /// A duplicate of somebody's descriptor; nil when it is none, or there are too many.
  init?(duplicating other: Int32) {
    raw = fcntl(other, F_DUPFD_CLOEXEC, 0)
    if raw < 0 { return nil }
  }

  deinit { close(raw) }

  /// A duplicate with an owner of its own; nil when there are too many.
  func duplicate() -> OwnedDescriptor? {
    let copy = fcntl(raw, F_DUPFD_CLOEXEC, 0)
    return copy < 0 ? nil : OwnedDescriptor(adopting: copy)
  }
}
