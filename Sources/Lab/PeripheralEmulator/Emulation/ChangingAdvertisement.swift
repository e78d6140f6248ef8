// SPDX-License-Identifier: MIT
package import AsyncIO
package import BLEFormats
package import BLEWorld

/// The changes of a peripheral's advertisement, for a real adapter; used only on the loop.
package final class ChangingAdvertisement {
  private let timers: TimerQueue
  private let interval: Duration
  private var timeline: AdvertisementTimeline

  /// Begins at the first values; encrypted data is that of the address which sends it, if that is known.
  package init(_ spec: PeripheralSpec, from address: BluetoothAddress?, on loop: EventLoop) {
    timers = TimerQueue(loop: loop)
    interval = spec.advertisement.interval
    timeline = spec.timeline(from: address)
  }

  /// The current contents of the advertisement.
  package var current: AdvertisementSpec { timeline.current }

  /// Calls `send` with the contents each time that they have changed, from now on.
  ///
  /// As over the air, values that last less than the interval of the advertisement are left out.
  package func start(_ send: @escaping (AdvertisementSpec) -> Void) {
    expectChange(since: LoopClock.now, last: .zero, send)
  }

  package func stop() { timers.cancelAll() }

  private func expectChange(
    since start: ContinuousClock.Instant, last: Duration, _ send: @escaping (AdvertisementSpec) -> Void
  ) {
    guard let change = timeline.nextChange else { return }
    let next = max(change, last + interval)
    timers.schedule(after: max(.zero, next - (LoopClock.now - start))) { [weak self] in
      guard let self else { return }
      let now = max(next, LoopClock.now - start)
      if timeline.advance(to: now) { send(timeline.current) }
      expectChange(since: start, last: now, send)
    }
  }
}
