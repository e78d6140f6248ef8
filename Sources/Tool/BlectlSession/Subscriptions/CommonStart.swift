// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLECentral

/// The moment from which the values of several devices count: when all of them are subscribed to for the first time.
package final class CommonStart: Sendable {
  private struct State {
    var missing: Int
    var moment: Moment?
    /// Each is awaited for a device.
    var waiters: [Promise<Void>] = []
  }

  private let state: Lock<State>
  private let onBegin: @Sendable (Moment) -> Void

  /// `count` is how many devices there are; `onBegin` is called at the moment.
  package init(of count: Int, onBegin: @escaping @Sendable (Moment) -> Void) {
    state = Lock(State(missing: count))
    self.onBegin = onBegin
  }

  package var hasBegun: Bool { moment != nil }

  /// Nil before it.
  package var moment: Moment? { state.withLock { $0.moment } }

  /// Records that a device is subscribed to.
  package func arrived() {
    let moment = state.withLock { state -> Moment? in
      guard state.moment == nil else { return nil }
      state.missing -= 1
      if state.missing == 0 { state.moment = Moment() }
      return state.moment
    }
    guard let moment else { return }
    onBegin(moment)
    let waiters = state.withLock { $0.waiters }
    for waiter in waiters { waiter.fulfil(()) }
  }

  /// Records that a device that had arrived is lost.
  package func left() {
    state.withLock { if $0.moment == nil { $0.missing += 1 } }
  }

  /// Waits for the moment, or until the task is cancelled.
  package func wait() async {
    let begun = state.withLock { state -> Promise<Void>? in
      guard state.moment == nil else { return nil }
      let begun = Promise<Void>()
      state.waiters.append(begun)
      return begun
    }
    await begun?.value(ifCancelled: ())
  }
}
