// SPDX-License-Identifier: MIT
internal import Glibc

/// What this process has cost so far, without its children.
struct ProcessCost {
  /// User and system, µs.
  let cpu: Int
  /// The most that was resident at once, KiB.
  let memory: Int

  static var now: ProcessCost {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    let times = [usage.ru_utime, usage.ru_stime]
    return ProcessCost(
      cpu: times.reduce(0) { $0 + $1.tv_sec * 1_000_000 + Int($1.tv_usec) }, memory: usage.ru_maxrss)
  }
}
