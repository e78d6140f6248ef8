// SPDX-License-Identifier: MIT
package import AsyncIO
internal import BLECore

/// The answer to a request of a central that the program gives later, from any thread.
///
/// It has to come within 500 ms: then the central gets ATT 0x0e.
public final class PendingAnswer<Value: Sendable>: Sendable {
  private struct State {
    var conclude: (@Sendable (Result<Value, ATTError>) -> Void)?
    var onExpiry: (@Sendable () -> Void)?
  }

  private let loop: EventLoop
  private let state: Lock<State>

  /// - Parameters:
  ///   - loop: the loop of the manager.
  ///   - conclude: called once on the loop with the answer.
  package init(on loop: EventLoop, conclude: @escaping @Sendable (Result<Value, ATTError>) -> Void) {
    self.loop = loop
    state = Lock(State(conclude: conclude))
  }

  /// Answers the request.
  ///
  /// - Parameter outcome: what the central gets; BlueZ does not carry every error: see ``ATTError``.
  /// - Returns: false if the request is answered already, or its time is over.
  @discardableResult
  public func give(_ outcome: Result<Value, ATTError>) -> Bool {
    guard let conclude = take().conclude else { return false }
    if loop.isCurrent { conclude(outcome) } else { loop.submit { conclude(outcome) } }
    return true
  }

  /// Calls an action on the manager's event loop when an answer comes too late: after 500 ms, or because bluetoothd has
  /// ended.
  ///
  /// Call it before the handler returns.
  public func onExpiry(_ action: @escaping @Sendable () -> Void) { state.exchange(\.onExpiry, action) }

  private func take() -> State { state.exchange(State()) }
}

/// A request that waits for its answer, whatever it asks for.
protocol OpenRequest: Sendable {
  /// Answers in the place of the program.
  func expire()
  /// Ends it without an answer: bluetoothd waits for none any more.
  func abandon()
}

extension PendingAnswer: OpenRequest {
  func expire() {
    let taken = take()
    guard let conclude = taken.conclude else { return }
    taken.onExpiry?()
    conclude(.failure(.unlikelyError))
  }

  func abandon() {
    let taken = take()
    if taken.conclude != nil { taken.onExpiry?() }
  }
}
