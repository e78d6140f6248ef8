// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLECentral

/// Measures what a link carries, by what any program could do.
package struct LinkBench {
  private let peripheral: Peripheral
  private let characteristic: GATTCharacteristic
  private let timeout: Duration?
  private let deadline: Deadline
  private let most: Int
  private let tally: BenchTally

  /// - Parameters:
  ///   - link: the link.
  ///   - characteristic: what is read, written, or subscribed to.
  ///   - duration: how long to measure; nil sets no limit.
  ///   - most: how many values to count at most.
  ///   - timeout: how long the device may take to answer.
  ///   - tally: counts.
  package init(
    _ link: DeviceConnection, _ characteristic: GATTCharacteristic, for duration: Duration?,
    atMost most: Int?,
    timeout: Duration?, tally: BenchTally
  ) {
    (peripheral, self.characteristic, self.timeout) = (link.peripheral, characteristic, timeout)
    (deadline, self.most, self.tally) = (Deadline(after: duration), most ?? .max, tally)
  }

  private var isOver: Bool { deadline.isOver || tally.count >= most || Task.isCancelled }

  /// Counts notifications, with the times between them.
  package func countNotifications() async throws {
    var values = try await peripheral.notifications(for: characteristic, timeout: timeout)
      .makeAsyncIterator()
    tally.start()
    defer { tally.end() }
    while !isOver {
      guard let batch = try await values.nextBatch(until: deadline.instant) else { return }
      for value in batch.elements.prefix(most - tally.count) { tally.add(value) }
    }
  }

  /// Reads again and again.
  package func read() async throws {
    tally.start()
    defer { tally.end() }
    while !isOver {
      let start = LoopClock.now
      let value = try await peripheral.readValue(for: characteristic, timeout: timeout)
      tally.add(1, bytes: value.count, after: LoopClock.now - start)
    }
  }

  /// Writes a value again and again, each time when the device has confirmed the one before.
  package func write(_ value: [UInt8]) async throws {
    tally.start()
    defer { tally.end() }
    while !isOver {
      let start = LoopClock.now
      try await peripheral.writeValue(value, for: characteristic, timeout: timeout)
      tally.add(1, bytes: value.count, after: LoopClock.now - start)
    }
  }

  /// Writes a value without response again and again, as fast as the link takes it.
  package func writeWithoutResponse(_ value: [UInt8]) async throws {
    tally.start()
    defer { tally.end() }
    let values = RepeatedValue(value, atMost: most, until: deadline)
    do {
      try await peripheral.writeValues(
        from: values, longest: value.count, for: characteristic, type: .withoutResponse, timeout: timeout
      ) { [tally] certain in
        let news = certain - tally.count
        tally.add(news, bytes: news * value.count)
      }
    } catch {
      tally.addUncertain(max(0, values.takenCount - tally.count))
      throw error
    }
  }

  /// Writes a value, and waits for the notification of another characteristic that answers it, again and again.
  package func roundTrip(
    _ value: [UInt8], type: WriteType, reply: GATTCharacteristic
  ) async throws {
    var answers = try await peripheral.notifications(for: reply, timeout: timeout).makeAsyncIterator()
    tally.start()
    defer { tally.end() }
    while !isOver {
      try await peripheral.discardNotifications(of: reply, waitingIn: &answers, timeout: timeout)
      let start = LoopClock.now
      try await peripheral.writeValue(value, for: characteristic, type: type, timeout: timeout)
      _ = try await answers.next(within: timeout, during: .receiveReply(from: reply.uuid))
      tally.add(1, bytes: value.count, after: LoopClock.now - start)
    }
  }
}

/// One value many times.
private final class RepeatedValue: WriteSource {
  private let value: [UInt8]
  private let most: Int
  private let deadline: Deadline
  private let count = Lock(0)
  private let takenByBlueZ = Lock(0)

  init(_ value: [UInt8], atMost most: Int, until deadline: Deadline) {
    (self.value, self.most, self.deadline) = (value, most, deadline)
  }

  /// The number of times BlueZ has taken it.
  var takenCount: Int { takenByBlueZ.withLock { $0 } }

  func next(_ most: Int) -> [[UInt8]]? {
    count.withLock { count in
      let news = min(most, self.most - count)
      guard news > 0, !deadline.isOver else { return nil }
      count += news
      return Array(repeating: value, count: news)
    }
  }

  func waitForNext() async {}

  func taken(_ count: Int) { takenByBlueZ.withLock { $0 += count } }
}
