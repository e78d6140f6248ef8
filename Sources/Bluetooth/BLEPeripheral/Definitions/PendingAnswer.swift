// SPDX-License-Identifier: MIT
package import AsyncIO
internal import BlueZClient

/// The answer to a central's request, which the program can give later, from any thread.
///
/// The time limit is 500 ms; then the central gets ATT 0x0e.
public final class PendingAnswer<Value: Sendable>: Sendable {
  private struct State {
    var conclude: (@Sendable (Result<Value, ATTError>) -> Void)?
    var onExpiry: (@Sendable () -> Void)?
  }

  private let loop: EventLoop
  private let state: Lock<State>

  package init(on loop: EventLoop, conclude: @escaping @Sendable (Result<Value, ATTError>) -> Void) {
    self.loop = loop
    state = Lock(State(conclude: conclude))
  }

  /// Answers the request.
  ///
  /// - Parameter outcome: the answer; BlueZ cannot transmit every error: see ``ATTError``.
  /// - Returns: false if the request was already answered, or its time has run out.
  @discardableResult
  public func give(_ outcome: Result<Value, ATTError>) -> Bool {
    guard let conclude = take().conclude else { return false }
    if loop.isCurrent { conclude(outcome) } else { loop.submit { conclude(outcome) } }
    return true
  }

  /// Calls an action on the manager's event loop if an answer comes too late: after 500 ms, or because
  /// bluetoothd ended.
  ///
  /// Call this before the handler returns.
  public func onExpiry(_ action: @escaping @Sendable () -> Void) { state.exchange(\.onExpiry, action) }

  private func take() -> State { state.exchange(State()) }

  /// Answers on behalf of the program.
  func expire() {
    let taken = take()
    guard let conclude = taken.conclude else { return }
    taken.onExpiry?()
    conclude(.failure(.unlikelyError))
  }

  /// Ends the request without an answer, because bluetoothd no longer waits for one.
  func abandon() {
    let taken = take()
    if taken.conclude != nil { taken.onExpiry?() }
  }
}
