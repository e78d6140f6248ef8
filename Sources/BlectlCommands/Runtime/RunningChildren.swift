// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc

/// The commands that run beside us.
///
/// Only while one stands here can it be signalled: its number is given to another process once it was reaped.
enum RunningChildren {
  /// As kill(2) takes them: a process, or the negative number of a group.
  private static let targets = Lock<Set<pid_t>>([])

  static func add(_ target: pid_t) { targets.withLock { _ = $0.insert(target) } }

  static func remove(_ target: pid_t) { targets.withLock { _ = $0.remove(target) } }

  /// Sends a signal to one, if it still runs.
  static func signal(_ target: pid_t, _ number: Int32) {
    targets.withLock { if $0.contains(target) { kill(target, number) } }
  }

  /// Ends all of them at once.
  static func killAll() { targets.withLock { for target in $0 { kill(target, SIGKILL) } } }

  /// Sends a signal to the groups, which the terminal does not signal together with us.
  static func signalGroups(_ number: Int32) {
    targets.withLock { for target in $0 where target < 0 { kill(target, number) } }
  }
}
