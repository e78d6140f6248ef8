// SPDX-License-Identifier: MIT
internal import Glibc

/// A child process; it is killed with the last reference, if it is running then.
package final class ChildProcess: Sendable {
  /// The way in which a child ended.
  package enum Ending: Sendable, Equatable {
    case exited(Int32)
    case signalled(Int32)
  }

  private let id: pid_t
  /// True if signals to it reach its process group, so also its children.
  package let leadsGroup: Bool
  /// Nil until the child is reaped, when its process ID may be reused.
  private let ending = Lock<Ending?>(nil)

  init(_ id: pid_t, leadsGroup: Bool) {
    self.id = id
    self.leadsGroup = leadsGroup
  }

  deinit {
    if ending.withLock({ $0 == nil }) {
      kill(target, SIGKILL)
      reap()
    }
  }

  /// The target of signals, as in kill(2).
  private var target: pid_t { leadsGroup ? -id : id }

  /// True if the child has ended; reaps it if so.
  package var hasEnded: Bool {
    ending.withLock { ending in
      var status: Int32 = 0
      guard ending == nil, waitpid(id, &status, WNOHANG) == id else { return ending != nil }
      ending = ChildProcess.ending(status)
      return true
    }
  }

  /// Blocks until the child ends, and reaps it.
  @discardableResult
  package func reap() -> Ending {
    ProcessEnd.block(until: id)
    // Reaped under the lock, where no signal can meet another process with its ID.
    return ending.withLock { ending in
      if let ending { return ending }
      var status: Int32 = 0
      while waitpid(id, &status, 0) < 0, errno == EINTR {}
      let result = ChildProcess.ending(status)
      ending = result
      return result
    }
  }

  /// Waits until the child ends, and reaps it.
  package func end(on loop: EventLoop) async -> Ending {
    if let ending = ending.withLock(\.self) { return ending }
    await ProcessEnd.wait(for: id, on: loop)
    return reap()
  }

  /// Sends a signal to the child, or its group, unless it is reaped.
  package func signal(_ number: Int32) {
    ending.withLock { if $0 == nil { kill(target, number) } }
  }

  /// True if children of the child are running after its end, and have not left its group.
  package var hasOrphans: Bool { leadsGroup && kill(target, 0) == 0 }

  /// Kills the children that the child has left behind in its group.
  package func killOrphans() { if hasOrphans { kill(target, SIGKILL) } }

  private static func ending(_ status: Int32) -> Ending {
    status & 0x7f == 0 ? .exited(status >> 8 & 0xff) : .signalled(status & 0x7f)
  }
}
