// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession
internal import ValueStreams

extension LiveDevice {
  /// How long `expect --read` waits before it reads again.
  private static let pause = Duration.milliseconds(200)

  func expect(_ step: ExpectStep) async throws {
    let pattern = try step.matcher
    let characteristic = try await link.characteristics([step.characteristic])[0]
    try await context.showingProgress("waiting for \(pattern.text) from \(characteristic.uuid)") {
      if step.read {
        try await self.read(characteristic, until: pattern, within: step.within)
      } else {
        try await self.wait(for: pattern, of: characteristic, step)
      }
    }
  }

  private func wait(
    for pattern: ValuePattern, of characteristic: GATTCharacteristic, _ step: ExpectStep
  ) async throws {
    let watch = try await watch(characteristic)
    let meaning = ValueMeaning(of: characteristic.uuid)
    let limit = step.within ?? context.options.timeout
    let deadline = limit.limit.map { LoopClock.now + $0 }
    let wanted = step.count ?? 1
    var last: [ReceivedValue] = []
    var count = (others: 0, matches: 0)
    while let value = try await watch.next(until: deadline, on: context.loop) {
      last = (last + [value]).suffix(ValueWatch.shownCount)
      if pattern.matches(value.value, meaning) {
        count.matches += 1
        if count.matches == wanted { return }
      } else {
        count.others += 1
      }
    }
    count.others += watch.forgotten
    throw ExpectStep.unmet(
      pattern, of: characteristic, last: last, count: count, forgotten: watch.forgotten, wanted: wanted,
      within: limit)
  }

  /// The values of a characteristic, which is subscribed to if it is not yet.
  private func watch(_ characteristic: GATTCharacteristic) async throws -> ValueWatch {
    if let entry = watches[characteristic.id], !entry.watch.isExhausted { return entry.watch }
    let notifications = try await link.peripheral.notifications(
      for: characteristic, timeout: context.timeout)
    let watch = ValueWatch()
    watches[characteristic.id] = (watch, nil)
    let origin = ValueOrigin(link.info, characteristic, via: .signal)
    let record = record
    ownTasks[characteristic.id] = Task(executorPreference: context.loop) {
      var values = notifications.makeAsyncIterator()
      do {
        while let batch = try await values.nextBatch() {
          record(.values(ValueBatch(batch.elements, of: origin)))
          watch.add(batch.elements)
        }
        watch.end(nil)
      } catch {
        watch.end(error)
      }
    }
    return watch
  }

  private func read(
    _ characteristic: GATTCharacteristic, until pattern: ValuePattern, within limit: DurationArgument?
  ) async throws {
    let meaning = ValueMeaning(of: characteristic.uuid)
    let origin = ValueOrigin(link.info, characteristic, via: .read)
    let end = limit?.limit.map { LoopClock.now + $0 }
    var others = 0
    while true {
      let bytes = try await link.peripheral.readValue(for: characteristic, timeout: context.timeout)
      let value = ReceivedValue(bytes, at: .now)
      record(.values(ValueBatch([value], of: origin)))
      if pattern.matches(bytes, meaning) { return }
      others += 1
      let isOver = limit == nil || end.map { $0 <= LoopClock.now + Self.pause } ?? false
      if isOver {
        throw ExpectStep.unmet(
          pattern, of: characteristic, last: [value], count: (others, 0), wanted: 1, within: limit)
      }
      try await context.loop.sleep(for: Self.pause)
    }
  }
}

/// The notified values of a characteristic that no `expect` has seen yet.
///
/// Only tasks on the loop use it.
final class ValueWatch: @unchecked Sendable {
  /// More values do not wait; the oldest are forgotten.
  static let capacity = 10_000
  /// How many values an error shows.
  static let shownCount = 5

  private var waiting: [ReceivedValue] = []
  /// How many values were forgotten.
  private(set) var forgotten = 0
  private var isOver = false
  private var failure: (any Error)?
  private var waiter: Promise<Void>?

  /// Whether no values come any more, and all were taken.
  var isExhausted: Bool { isOver && waiting.isEmpty }

  func add(_ values: some Sequence<ReceivedValue>) {
    waiting += values
    let excess = waiting.count - Self.capacity
    if excess > 0 {
      waiting.removeFirst(excess)
      forgotten += excess
    }
    wake()
  }

  /// No more values come.
  ///
  /// - Parameter failure: why, if that is an error.
  func end(_ failure: (any Error)?) {
    isOver = true
    self.failure = self.failure ?? failure
    wake()
  }

  private func wake() {
    waiter?.fulfil(())
    waiter = nil
  }

  /// The next value, by an instant.
  ///
  /// - Returns: nil when none came by then, or when no more can come.
  /// - Throws: why no more can come; `CancellationError`.
  func next(until deadline: ContinuousClock.Instant?, on loop: EventLoop) async throws -> ReceivedValue? {
    while waiting.isEmpty {
      try Task.checkCancellation()
      if let failure { throw failure }
      if isOver || deadline.map({ $0 <= LoopClock.now }) ?? false { return nil }
      let promise = Promise<Void>()
      waiter = promise
      let timer = deadline.map { RemoteTimer(loop, at: $0) { promise.fulfil(()) } }
      defer { timer?.cancel() }
      await promise.value(ifCancelled: ())
    }
    return waiting.removeFirst()
  }
}
