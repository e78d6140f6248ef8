// SPDX-License-Identifier: MIT

/// The daemon's requests to the kernel, of which one is under way at a time.
///
/// Pairing is one request from beginning to end, for which others wait.
final class KernelRequests {
  private struct Request {
    /// The call of Pair; nil for a request that the kernel answers at once.
    let call: MethodCall?
    let begin: () -> Void
  }

  private var waiting: [Request] = []

  /// Pairs at the turn of the call, until ``end(_:)``.
  func pair(_ call: MethodCall, _ begin: @escaping () -> Void) {
    add(Request(call: call, begin: begin))
  }

  /// Runs a short request at its turn.
  func send(_ begin: @escaping () -> Void) {
    add(Request(call: nil, begin: begin))
  }

  private func add(_ request: Request) {
    waiting.append(request)
    if waiting.count == 1 { advance() }
  }

  /// Ends the request of a call that pairs, or that waits to.
  func end(_ call: MethodCall) {
    guard let index = waiting.firstIndex(where: { $0.call === call }) else { return }
    waiting.remove(at: index)
    if index == 0 { advance() }
  }

  private func advance() {
    while let first = waiting.first {
      guard first.call == nil else { return first.begin() }
      first.begin()
      waiting.removeFirst()
    }
  }
}
