// SPDX-License-Identifier: MIT
internal import CAsyncIO
internal import Glibc

/// Whether anything can still happen by itself to event loops that sleep.
enum Quiescence {
  /// Whether nothing has arrived for the loops, and the processes at the other end of their sockets have read all that
  /// was sent to them and sleep: a message bus that has nothing left to pass on.
  static func holds(for pollSets: [[pollfd]]) -> Bool {
    let descriptors = pollSets.joined().map(\.fd)
    let buses = Dictionary(grouping: descriptors) { process(behind: $0) ?? 0 }.filter { $0.key != 0 }
    for (process, descriptors) in buses {
      guard descriptors.allSatisfy({ casyncio_unread_count($0) <= 0 }), isAsleep(process) else {
        return false
      }
    }
    return pollSets.allSatisfy { pollSet in
      var pollSet = pollSet
      return poll(&pollSet, nfds_t(pollSet.count), 0) == 0
    }
  }

  /// The other process that a socket leads to.
  private static func process(behind descriptor: Int32) -> pid_t? {
    // struct ucred, which Glibc for Swift does not have: process, user, group.
    var credentials: (process: pid_t, user: uid_t, group: gid_t) = (0, 0, 0)
    var size = socklen_t(MemoryLayout.size(ofValue: credentials))
    guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return nil }
    return credentials.process > 0 && credentials.process != getpid() ? credentials.process : nil
  }

  /// Whether the only thread of a process waits.
  private static func isAsleep(_ process: pid_t) -> Bool {
    guard let file = fopen("/proc/\(process)/stat", "re") else { return true }
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 512)
    let count = fread(&buffer, 1, buffer.count, file)
    // The name, in parentheses, may contain anything; the state is the letter behind it.
    guard let end = buffer[..<count].lastIndex(of: UInt8(ascii: ")")), end + 2 < count else { return true }
    return [UInt8(ascii: "S"), UInt8(ascii: "Z")].contains(buffer[end + 2])
  }
}
