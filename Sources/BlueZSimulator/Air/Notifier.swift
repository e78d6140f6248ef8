// SPDX-License-Identifier: MIT
internal import AsyncIO

/// Sends the notifications of a peripheral: single ones, those of generators, and long bursts in slices.
final class Notifier {
  /// How many notifications of a burst are sent before others get a turn.
  private static let slice = 128

  private struct Burst {
    let handle: UInt16
    let count: Int
    var next = 0
  }

  private let agenda: Agenda
  private let setValue: (UInt16, [UInt8]) -> Void
  private let link: () -> (any PeripheralLink)?
  private var enabled: Set<UInt16> = []
  private var generators: [UInt16: Agenda.Token] = [:]
  private var bursts: [Burst] = []
  private var isPumping = false

  /// `setValue` gets what is generated: it is the characteristic's value from then on.
  init(
    agenda: Agenda, setValue: @escaping (UInt16, [UInt8]) -> Void,
    link: @escaping () -> (any PeripheralLink)?
  ) {
    self.agenda = agenda
    self.setValue = setValue
    self.link = link
  }

  /// A client has subscribed to a characteristic, or no longer is.
  func setEnabled(_ isEnabled: Bool, _ handle: UInt16, _ behaviour: NotifyBehaviour) {
    agenda.cancel(generators.removeValue(forKey: handle))
    bursts.removeAll { $0.handle == handle }
    guard isEnabled else {
      enabled.remove(handle)
      return
    }
    enabled.insert(handle)
    switch behaviour {
    case .onDemand: break
    case .generate(let generator, let interval):
      generate(ValueSequence(generator), every: interval, from: handle)
    case .replay(let recording): replay(recording, at: 0, from: handle)
    case .flood(let count, let perSecond):
      // Once the client has the response to its subscription: a peripheral sends that first.
      generators[handle] = agenda.schedule(after: .milliseconds(1)) { [weak self] in
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
    for token in generators.values { agenda.cancel(token) }
    generators = [:]
    enabled = []
    bursts = []
  }

  func notify(_ handle: UInt16, _ value: [UInt8]) {
    guard enabled.contains(handle) else { return }
    link()?.received(value, from: handle)
  }

  private func generate(_ sequence: ValueSequence, every interval: Duration, from handle: UInt16) {
    generators[handle] = agenda.schedule(after: interval) { [weak self] in
      var sequence = sequence
      guard let self, let value = sequence.next() else { return }
      emit(value, from: handle)
      generate(sequence, every: interval, from: handle)
    }
  }

  private func replay(_ recording: Recording, at index: Int, from handle: UInt16) {
    guard let delay = recording.delay(before: index) else { return }
    generators[handle] = agenda.schedule(after: delay) { [weak self] in
      guard let self else { return }
      emit(recording.samples[index % recording.samples.count].value, from: handle)
      replay(recording, at: index + 1, from: handle)
    }
  }

  /// How often a stream sends what is due.
  private static let streamTime = Duration.milliseconds(5)

  /// Sends numbered values at a rate that holds, whatever the timers do; none is lost where the daemon is congested.
  private func stream(
    _ numbers: Range<Int>, perSecond: Int, since start: ContinuousClock.Instant, from handle: UInt16
  ) {
    let due = min(Int((LoopClock.now - start) / .seconds(1) * Double(perSecond)), numbers.upperBound)
    var next = numbers.lowerBound
    while next < due, let link = link(), !link.isCongested {
      link.received(Notifier.numbered(UInt32(truncatingIfNeeded: next)), from: handle)
      next += 1
    }
    guard next < numbers.upperBound else { return }
    generators[handle] = agenda.schedule(after: Notifier.streamTime) { [weak self] in
      self?.stream(next..<numbers.upperBound, perSecond: perSecond, since: start, from: handle)
    }
  }

  private func emit(_ value: [UInt8], from handle: UInt16) {
    setValue(handle, value)
    notify(handle, value)
  }

  // MARK: Bursts

  /// Sends so many numbered notifications of 20 bytes, none lost, in order.
  func burst(_ count: Int, from handle: UInt16) {
    guard count > 0, enabled.contains(handle) else { return }
    bursts.append(Burst(handle: handle, count: count))
    guard !isPumping else { return }
    isPumping = true
    agenda.schedule(after: .zero) { [weak self] in self?.pump() }
  }

  private func pump() {
    guard let link = link(), !bursts.isEmpty else {
      isPumping = false
      return
    }
    var delay = Duration.zero
    if link.isCongested {
      delay = .milliseconds(1)
    } else {
      for _ in 0..<Notifier.slice where !bursts.isEmpty {
        let number = UInt32(truncatingIfNeeded: bursts[0].next)
        let handle = bursts[0].handle
        bursts[0].next += 1
        if bursts[0].next == bursts[0].count { bursts.removeFirst() }
        link.received(Notifier.numbered(number), from: handle)
      }
    }
    agenda.schedule(after: delay) { [weak self] in self?.pump() }
  }

  private static func numbered(_ number: UInt32) -> [UInt8] {
    var value = [UInt8](repeating: 0xA5, count: 20)
    for index in 0..<4 { value[index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
    return value
  }
}
