// SPDX-License-Identifier: MIT

/// Lets the calls of Pair take turns: bluetoothd has one request to the kernel under way.
final class PairingTurns {
  private var waiting: [(call: MethodCall, begin: () -> Void)] = []

  /// Calls `begin` as soon as all earlier calls have ended.
  func take(_ call: MethodCall, then begin: @escaping () -> Void) {
    waiting.append((call, begin))
    if waiting.count == 1 { begin() }
  }

  /// Ends a call that has its turn, or waits for it.
  func end(_ call: MethodCall) {
    guard let index = waiting.firstIndex(where: { $0.call === call }) else { return }
    waiting.remove(at: index)
    if index == 0 { waiting.first?.begin() }
  }
}
