// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
package import BlectlSession
internal import ValueStreams

/// Collects the notifications of a characteristic, or the packets of a channel, until they are complete.
package struct FileReceiver: Sendable {
  /// The criteria for completeness, of which the first to be met applies.
  ///
  /// A channel that the device closes is complete, too, without a length and a pattern.
  package struct End: Sendable {
    package var length: Int?
    /// Bytes at the end.
    package var pattern: [UInt8]?
    /// The silence after the first value that completes the data; nil waits for the timeout, which is then an
    /// error.
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

  /// Receives, and passes the bytes of each batch on; `write` tells its second argument how many of them it has written.
  ///
  /// - Throws: ``BLEError``, ``CommandError``, the errors of `write`; ``tally`` then says how much has come.
  package func run(
    from source: FileSource, _ write: ([UInt8], (Int) -> Void) throws -> Void
  ) async throws {
    tally.begin()
    defer { tally.end() }
    try await context.showingProgress(isTimed: false, { [tally] in "receiving: \(tally.progress)" }) {
      try await receive(source, write)
    }
  }

  private func receive(
    _ source: FileSource, _ write: ([UInt8], (Int) -> Void) throws -> Void
  ) async throws {
    var reader = FileSourceReader(source, on: context.loop)
    var (count, tail) = (0, [UInt8]())
    // Whether the device has answered since the silence began: it is there, and has sent nothing more.
    var isConfirmed = false
    while true {
      let limit =
        isConfirmed ? .zero : count > 0 ? end.silence ?? context.timeout : context.timeout
      let start = LoopClock.now
      guard let packets = try await reader.next(within: limit) else { return try await closed(source) }
      if packets.isEmpty {
        guard let limit, LoopClock.now - start >= limit else { continue }
        if count > 0, end.silence != nil {
          if isConfirmed { return }
          try await link.confirmChannels()
          isConfirmed = true
          continue
        }
        let hint =
          count == 0
          ? "use a longer --timeout, or --request, if the device waits for a command"
          : "use a longer --timeout"
        throw CommandError(
          status: .timedOut,
          message:
            "cannot receive \(source.name): nothing\(count == 0 ? "" : " more") came before the timeout",
          hint: hint)
      }
      if case .notifications(_, let characteristic) = source {
        context.observe(notified: packets, of: characteristic, over: link)
      }
      isConfirmed = false
      var bytes = Array(packets.map(\.value).joined())
      let isComplete = cut(&bytes, after: count, &tail)
      let (first, last) = (packets[0].time, packets[packets.count - 1].time)
      try write(bytes) { tally.add($0, from: first, to: last) }
      count += bytes.count
      if isComplete { return }
    }
  }

  /// The device has closed its channel; a channel ends with its link, too, in the midst of the file.
  private func closed(_ source: FileSource) async throws {
    if end.length == nil, end.pattern == nil {
      try await link.confirmChannels()
      return
    }
    throw CommandError(
      status: .failed, message: "cannot receive \(source.name): the channel was closed before that")
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
