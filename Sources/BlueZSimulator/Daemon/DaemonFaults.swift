// SPDX-License-Identifier: MIT

/// What is wrong with the daemon at present.
///
/// It outlives each daemon.
final class DaemonFaults {
  private var calls: [(fault: CallFault, left: Countdown)] = []
  private var doubledSignals = Countdown.none

  /// Refuses calls from now on; takes the place of a fault for the same calls.
  func add(_ fault: CallFault) {
    calls.removeAll { $0.fault.method == fault.method && $0.fault.device == fault.device }
    calls.append((fault, Countdown(fault.times)))
  }

  func doubleSignals(_ times: Int?) { doubledSignals = Countdown(times) }

  /// The error that a call is answered with; nil when it is done.
  func refusal(of method: String?, at path: String) -> BlueZError? {
    guard !calls.isEmpty else { return nil }
    let index = calls.lastIndex { entry in
      !entry.left.isOver && entry.fault.method == method
        && (entry.fault.device.map { path.contains(BlueZ.deviceElement($0)) } ?? true)
    }
    guard let index else { return nil }
    _ = calls[index].left.take()
    return calls[index].fault.error
  }

  /// Whether this signal is sent twice.
  func doublesSignal() -> Bool { doubledSignals.take() }
}
