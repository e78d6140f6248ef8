// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc

/// Our child processes.
///
/// Only those in this list are signalled: once a child is reaped, its process ID may belong to another process.
enum RunningChildren {
  /// Process IDs, or negated group IDs, as in kill(2).
  private static let targets = Lock<Set<pid_t>>([])

  static func add(_ target: pid_t) { targets.withLock { _ = $0.insert(target) } }

  static func remove(_ target: pid_t) { targets.withLock { _ = $0.remove(target) } }

  /// Sends a signal to a child, if it is still running.
  static func signal(_ target: pid_t, _ number: Int32) {
    targets.withLock { if $0.contains(target) { kill(target, number) } }
  }

  /// Kills all of them.
  static func killAll() { targets.withLock { for target in $0 { kill(target, SIGKILL) } } }

  /// Sends a signal to the groups, which the terminal does not include in its own signals.
  static func signalGroups(_ number: Int32) {
    targets.withLock { for target in $0 where target < 0 { kill(target, number) } }
  }
}
