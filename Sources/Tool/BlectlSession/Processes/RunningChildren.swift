// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc

/// The running child commands, for the signals that this process passes on.
enum RunningChildren {
  private static let processes = Lock<[ObjectIdentifier: ChildProcess]>([:])

  static func add(_ process: ChildProcess) { processes.withLock { $0[ObjectIdentifier(process)] = process } }

  static func remove(_ process: ChildProcess) { processes.withLock { $0[ObjectIdentifier(process)] = nil } }

  /// Kills them, and what they have left behind.
  static func killAll() {
    for process in processes.withLock({ Array($0.values) }) {
      process.signal(SIGKILL)
      process.killOrphans()
    }
  }

  /// Sends a signal to the groups, which the terminal does not include in its own signals.
  static func signalGroups(_ number: Int32) {
    for process in processes.withLock({ Array($0.values) }) where process.leadsGroup {
      process.signal(number)
    }
  }
}
