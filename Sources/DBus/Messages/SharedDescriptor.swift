// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc

/// A file descriptor that is sent with a message.
///
/// It is closed with the last message that holds it.
final class SharedDescriptor: Sendable {
  let raw: Int32

  init(adopting raw: Int32) { self.raw = raw }

  /// A duplicate of a descriptor; nil if it is invalid, or if too many are open.
  init?(duplicating other: Int32) {
    raw = fcntl(other, F_DUPFD_CLOEXEC, 0)
    if raw < 0 { return nil }
  }

  deinit { close(raw) }

  /// A duplicate with its own owner; nil if too many are open.
  func duplicate() -> OwnedDescriptor? {
    let copy = fcntl(raw, F_DUPFD_CLOEXEC, 0)
    return copy < 0 ? nil : OwnedDescriptor(adopting: copy)
  }
}
