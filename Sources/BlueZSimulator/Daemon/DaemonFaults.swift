// SPDX-License-Identifier: MIT

/// The current faults of the daemon.
///
/// They outlive it.
final class DaemonFaults {
  private var calls: [(fault: CallFault, left: RemainingCount)] = []
  private var doubledSignals = RemainingCount.none

  /// Adds a fault, which replaces one for the same calls.
  func add(_ fault: CallFault) {
    calls.removeAll { $0.fault.method == fault.method && $0.fault.device == fault.device }
    calls.append((fault, RemainingCount(fault.times)))
  }

  func doubleSignals(_ times: Int?) { doubledSignals = RemainingCount(times) }

  /// The error of a call, or nil to execute it.
  func refusal(of method: String?, at path: String) -> BlueZError? {
    guard !calls.isEmpty else { return nil }
    let index = calls.lastIndex { entry in
      !entry.left.isOver && entry.fault.method == method
        && (entry.fault.device.map { path.contains(BlueZName.deviceElement($0)) } ?? true)
    }
    guard let index else { return nil }
    _ = calls[index].left.take()
    return calls[index].fault.error
  }

  /// Whether this signal is sent twice.
  func doublesSignal() -> Bool { doubledSignals.take() }
}
