// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLECentral
internal import BlectlArguments
package import BlectlSession

/// Collects the notifications of a characteristic, until they are complete.
package struct FileReceiver: Sendable {
  /// When they are: whatever comes first.
  package struct End: Sendable {
    package var length: Int?
    /// Bytes at the end.
    package var pattern: [UInt8]?
    /// How long nothing more comes after the first value; nil waits for the timeout, which is then an error.
    package var silence: Duration?

    package init() {}
  }

  package let tally: TransferTally
  private let end: End
  private let link: DeviceConnection
  private let context: CommandContext

  package init(until end: End, over link: DeviceConnection, in context: CommandContext) {
    (self.end, self.link, self.context) = (end, link, context)
    tally = TransferTally(size: end.length)
  }

  /// Receives, and passes the bytes of each batch on.
  ///
  /// - Throws: ``BLEError``, ``CommandError``, the errors of `write`; ``tally`` then says how much has come.
  package func run(
    from characteristic: GATTCharacteristic, _ write: ([UInt8]) throws -> Void
  ) async throws {
    let notifications = try await link.notifications(of: characteristic)
    tally.begin()
    defer { tally.end() }
    try await context.showingProgress({ [tally] in "receiving: \(tally.progress)" }) {
      try await receive(notifications, characteristic, write)
    }
  }

  private func receive(
    _ notifications: Notifications, _ characteristic: GATTCharacteristic, _ write: ([UInt8]) throws -> Void
  ) async throws {
    let action = BLEError.Action.receiveReply(from: characteristic.uuid)
    var values = notifications.makeAsyncIterator()
    var (count, tail) = (0, [UInt8]())
    while true {
      let limit = count > 0 ? end.silence ?? context.timeout : context.timeout
      let start = LoopClock.now
      guard let batch = try await values.nextBatch(until: limit.map { start + $0 }) else {
        throw BLEError.cancelled(action)
      }
      if batch.elements.isEmpty {
        guard let limit, LoopClock.now - start >= limit else { continue }
        if count > 0, end.silence != nil { return }
        throw BLEError(.timedOut, during: action, "nothing more came before the timeout")
      }
      var bytes = batch.elements.flatMap(\.value)
      let isComplete = cut(&bytes, after: count, &tail)
      try write(bytes)
      count += bytes.count
      tally.set(certain: count)
      if isComplete { return }
    }
  }

  /// Removes what follows the end, and returns whether it was reached; `tail` is what came last before.
  private func cut(_ bytes: inout [UInt8], after count: Int, _ tail: inout [UInt8]) -> Bool {
    var most = end.length.map { $0 - count } ?? .max
    if let pattern = end.pattern, !pattern.isEmpty {
      let both = tail + bytes
      if let place = Self.first(pattern, in: both) {
        most = min(most, place + pattern.count - tail.count)
      }
      tail = Array(both.suffix(pattern.count - 1))
    }
    guard bytes.count >= most else { return false }
    bytes.removeLast(bytes.count - most)
    return true
  }

  private static func first(_ pattern: [UInt8], in bytes: [UInt8]) -> Int? {
    guard bytes.count >= pattern.count else { return nil }
    return (0...bytes.count - pattern.count).first { bytes[$0..<$0 + pattern.count].elementsEqual(pattern) }
  }
}
