// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession
internal import ValueStreams

extension LiveDevice {
  /// The pause between the reads of `expect --read`.
  private static let pause = Duration.milliseconds(200)

  func expect(_ expectation: Expectation) async throws {
    let characteristic = try await link.characteristics([expectation.characteristic])[0]
    let progress = "waiting for \(expectation.pattern.text) from \(characteristic.title)"
    try await context.showingProgress(progress) {
      if expectation.isRead {
        try await self.read(characteristic, until: expectation)
      } else {
        try await self.wait(for: expectation, of: characteristic)
      }
    }
  }

  private func wait(for expectation: Expectation, of characteristic: GATTCharacteristic) async throws {
    let watch = try await watch(characteristic)
    let meaning = meaning(of: characteristic)
    let limit = expectation.within ?? context.options.timeout
    let deadline = limit.limit.map { LoopClock.now + $0 }
    var last: [ReceivedValue] = []
    var count = (others: 0, matches: 0)
    while let value = try await watch.next(until: deadline, on: context.loop) {
      last = (last + [value]).suffix(ValueWatch.shownCount)
      if expectation.pattern.matches(value.value, meaning) {
        count.matches += 1
        if count.matches == expectation.count { return }
      } else {
        count.others += 1
      }
    }
    count.others += watch.forgottenCount
    throw expectation.unmet(
      by: characteristic, meaning, last: last, count: count, forgotten: watch.forgottenCount, within: limit)
  }

  private func meaning(of characteristic: GATTCharacteristic) -> ValueMeaning? {
    ValueMeaning(of: AttributeIdentity(characteristic, of: ProfileSubject(link.info)))
  }

  /// The values of a characteristic; subscribes to it if no step has.
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

  private func read(_ characteristic: GATTCharacteristic, until expectation: Expectation) async throws {
    let origin = ValueOrigin(link.info, characteristic, via: .read)
    let limit = expectation.within
    let end = limit?.limit.map { LoopClock.now + $0 }
    var others = 0
    while true {
      let bytes = try await link.peripheral.readValue(for: characteristic, timeout: context.timeout)
      let value = ReceivedValue(bytes, at: .now)
      record(.values(ValueBatch([value], of: origin)))
      if expectation.pattern.matches(bytes, origin.meaning) { return }
      others += 1
      let isOver = limit == nil || end.map { $0 <= LoopClock.now + Self.pause } ?? false
      if isOver {
        throw expectation.unmet(
          by: characteristic, origin.meaning, last: [value], count: (others, 0), within: limit)
      }
      try await context.loop.sleep(for: Self.pause)
    }
  }
}
