// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEWorld

/// Sends the notifications of a peripheral: single ones, generated ones, and bursts in slices.
final class Notifier {
  /// The time after which notifications follow the response to a subscription.
  static let subscriptionTime = Duration.milliseconds(1)

  private let timers: TimerQueue
  private let setValue: (UInt16, [UInt8]) -> Void
  private let link: () -> (any AttributeLink)?
  private var enabled: Set<UInt16> = []
  private var generators: [UInt16: TimerQueue.Token] = [:]
  private var bursts: [Burst] = []
  private var isPumping = false
  /// The number of values that each characteristic has sent, by value handle.
  private(set) var sent: [UInt16: Int] = [:]

  /// `setValue` stores a generated value as that of the characteristic.
  init(
    timers: TimerQueue, setValue: @escaping (UInt16, [UInt8]) -> Void,
    link: @escaping () -> (any AttributeLink)?
  ) {
    self.timers = timers
    self.setValue = setValue
    self.link = link
  }

  func setEnabled(_ isEnabled: Bool, _ handle: UInt16, _ behaviour: NotifyBehaviour) {
    timers.cancel(generators.removeValue(forKey: handle))
    bursts.removeAll { $0.handle == handle }
    guard isEnabled else {
      enabled.remove(handle)
      return
    }
    enabled.insert(handle)
    switch behaviour {
    case .onDemand: break
    case .generate(let generator, let interval):
      generate(ValueSequence(generator), every: interval, at: LoopClock.now + interval, from: handle)
    case .replay(let recording): replay(recording, at: 0, since: LoopClock.now, from: handle)
    case .flood(let count, let perSecond):
      // A peripheral sends the response to the subscription first.
      generators[handle] = timers.schedule(after: Self.subscriptionTime) { [weak self] in
        if let perSecond {
          self?.stream(0..<count, perSecond: perSecond, since: LoopClock.now, from: handle)
        } else {
          self?.burst(count, from: handle)
        }
      }
    }
  }

  func isEnabled(_ handle: UInt16) -> Bool { enabled.contains(handle) }

  func disableAll() {
    for token in generators.values { timers.cancel(token) }
    generators = [:]
    enabled = []
    bursts = []
  }

  func notify(_ handle: UInt16, _ value: [UInt8]) {
    guard enabled.contains(handle), let link = link() else { return }
    send(Array(value.prefix(link.longestNotification)), from: handle, over: link)
  }

  private func send(_ value: [UInt8], from handle: UInt16, over link: any AttributeLink) {
    sent[handle, default: 0] += 1
    link.received(value, from: handle)
  }

  private func generate(
    _ sequence: ValueSequence, every interval: Duration, at due: ContinuousClock.Instant, from handle: UInt16
  ) {
    generators[handle] = timers.schedule(at: due) { [weak self] in
      var sequence = sequence
      guard let self, let value = sequence.next() else { return }
      emit(value, from: handle)
      generate(sequence, every: interval, at: TimerQueue.time(after: due, by: interval), from: handle)
    }
  }

  /// Sends a value of a recording; `due` is the time of the one before it.
  private func replay(
    _ recording: Recording, at index: Int, since due: ContinuousClock.Instant, from handle: UInt16
  ) {
    guard let delay = recording.delay(before: index) else { return }
    let due = TimerQueue.time(after: due, by: delay)
    generators[handle] = timers.schedule(at: due) { [weak self] in
      guard let self else { return }
      emit(recording.samples[index % recording.samples.count].value, from: handle)
      replay(recording, at: index + 1, since: due, from: handle)
    }
  }

  /// The interval at which a stream sends due notifications.
  private static let streamTime = Duration.milliseconds(5)

  /// Sends numbered values at a constant rate even if timers are late; congestion delays them without loss.
  private func stream(
    _ numbers: Range<Int>, perSecond: Int, since start: ContinuousClock.Instant, from handle: UInt16
  ) {
    let due = min(Int((LoopClock.now - start) / .seconds(1) * Double(perSecond)), numbers.upperBound)
    var next = numbers.lowerBound
    while next < due, let link = link(), !link.isCongested(handle) {
      send(Burst.numbered(UInt32(truncatingIfNeeded: next)), from: handle, over: link)
      next += 1
    }
    guard next < numbers.upperBound else { return }
    generators[handle] = timers.schedule(after: Notifier.streamTime) { [weak self] in
      self?.stream(next..<numbers.upperBound, perSecond: perSecond, since: start, from: handle)
    }
  }

  private func emit(_ value: [UInt8], from handle: UInt16) {
    setValue(handle, value)
    notify(handle, value)
  }

  // MARK: Bursts

  /// Sends numbered notifications of 20 bytes, in order and without loss.
  func burst(_ count: Int, from handle: UInt16) {
    guard count > 0, enabled.contains(handle) else { return }
    bursts.append(Burst(handle: handle, content: .numbers(0..<count)))
    startPump()
  }

  /// Sends bytes after those that still wait, in packets as large as the link permits; the first after some time.
  ///
  /// Bytes for which there is no room are dropped, as a device without flow control drops them.
  func send(_ bytes: [UInt8], from handle: UInt16, after delay: Duration) {
    guard !bytes.isEmpty, enabled.contains(handle) else { return }
    let last = bursts.lastIndex { $0.handle == handle && $0.isStream }
    if last == nil { bursts.append(Burst(handle: handle, content: .bytes([]))) }
    bursts[last ?? bursts.count - 1].append(bytes)
    startPump(after: delay)
  }

  /// Sends bytes that share no notification with others, after some time.
  func sendWhole(_ bytes: [UInt8], from handle: UInt16, after delay: Duration) {
    guard !bytes.isEmpty, enabled.contains(handle) else { return }
    bursts.append(Burst(handle: handle, content: .whole(bytes)))
    startPump(after: delay)
  }

  private func startPump(after delay: Duration = .zero) {
    guard !isPumping else { return }
    isPumping = true
    timers.schedule(after: delay) { [weak self] in self?.pump() }
  }

  private func pump() {
    guard let link = link(), !bursts.isEmpty else {
      isPumping = false
      return
    }
    var delay = Duration.zero
    if let index = bursts.firstIndex(where: { !link.isCongested($0.handle) }) {
      let handle = bursts[index].handle
      let values = bursts[index].next(packetSize: link.packetSize)
      if bursts[index].isOver { bursts.remove(at: index) }
      for value in values { send(value, from: handle, over: link) }
    } else {
      delay = .milliseconds(1)
    }
    timers.schedule(after: delay) { [weak self] in self?.pump() }
  }
}
