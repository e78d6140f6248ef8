// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLECentral
package import BLEFormats
package import BlectlArguments
package import BlectlSession
internal import ValueStreams

/// Sends a file to a characteristic, in chunks.
package struct FileSender: Sendable {
  /// The notifications with which a device acknowledges chunks.
  package struct Acknowledgement: Sendable {
    package let characteristic: CharacteristicArgument
    /// The pattern of the notifications; nil accepts any value.
    package let pattern: ValuePattern?

    /// Parses `CHAR` or `CHAR:PATTERN`.
    package init(parsing text: String) throws(ArgumentError) {
      let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      characteristic = try CharacteristicArgument(parsing: String(parts[0]))
      pattern =
        if parts.count > 1 { try ValuePattern([String(parts[1])], for: characteristic.identity()) } else {
          nil
        }
    }
  }

  package struct Options: Sendable {
    /// The number of bytes of the file in a packet; nil for as many as fit.
    package var chunk: Int?
    /// The format of the offset before each chunk; nil omits the offset.
    package var offsetFormat: ValueFormat?
    /// Writes with response where the device has the choice.
    package var isConfirmed = false
    package var acknowledgement: Acknowledgement?
    /// The maximum number of chunks that wait for their acknowledgement.
    package var window = 1

    package init() {}
  }

  /// The time limit, from the previous acknowledgement, for acknowledgements of data that an earlier run has
  /// sent.
  private static let timeToAcknowledge = Duration.seconds(2)

  /// The bytes to send.
  package let content: [UInt8]
  /// Its name in messages.
  package let name: String
  package let tally: TransferTally
  private let options: Options
  private let characteristic: GATTCharacteristic
  private let link: DeviceConnection
  private let context: CommandContext
  private let journal: SendJournal?

  /// `isResumable` notes beside the file how much has arrived, and goes on where an earlier run has ended.
  package init(
    _ content: [UInt8], named name: String, _ options: Options, isResumable: Bool,
    to characteristic: GATTCharacteristic, over link: DeviceConnection, in context: CommandContext
  ) throws(CommandError) {
    (self.content, self.name, self.options) = (content, name, options)
    (self.characteristic, self.link, self.context) = (characteristic, link, context)
    tally = TransferTally(size: content.count)
    let way = SendJournal.Way(
      device: link.info.lastingAddress, characteristic: characteristic, chunk: options.chunk,
      offsetFormat: options.offsetFormat)
    journal = if isResumable { try SendJournal(ofFile: name, content, way) } else { nil }
  }

  /// Sends the file, or the rest of it.
  ///
  /// - Throws: ``CommandError``, ``BLEError``; ``tally`` then says how much has arrived.
  package func run() async throws {
    let writer = try PacketWriter(
      characteristic, over: link, isConfirmed: options.isConfirmed, in: context)
    // Of nothing, nobody answers.
    if !content.isEmpty {
      tally.note(isAcknowledged: writer.isAcknowledged || options.acknowledgement != nil)
    }
    let room = options.chunk == nil ? writer.packetSize : writer.longestPacket
    let chunks = try FileChunks(
      content, of: options.chunk, offsetFormat: options.offsetFormat, into: room, of: "link")
    let start = try start()
    let acknowledgements = try await subscribe()
    tally.begin(after: start.certain)
    defer { tally.end() }
    try await context.showingProgress(
      isTimed: false, { [tally, name] in "sending \(name.lastPart): \(tally.progress)" }
    ) {
      if let acknowledgements {
        try await send(chunks, from: start, writer, acknowledgements)
      } else {
        try await send(chunks, from: start.certain, writer)
      }
    }
  }

  /// Ends the notes: another run begins at the start.
  package func finish() { journal?.remove() }

  /// The advice on continuing after an interruption; nil without a journal.
  package var advice: String? {
    guard let journal, tally.hasBegun else { return nil }
    let uncertain = journal.uncertain(after: tally.certain)
    guard uncertain > 0, options.offsetFormat == nil else {
      return tally.certain > 0 || uncertain > 0 ? "the same command goes on from there" : nil
    }
    return "rm \(journal.path), to begin again: only with --offset-format could uncertain bytes be sent twice"
  }

  // MARK: Beginning

  private func start() throws -> SendJournal.Place {
    guard let journal else { return SendJournal.Place() }
    let place = try journal.place()
    let unknown = place.possible - place.certain
    guard unknown == 0 || options.offsetFormat != nil else {
      throw CommandError(
        status: .failed,
        message: "cannot resume at \(place.certain): the next \(unknown.bytes) may or may not have arrived",
        hint: "rm \(journal.path), to begin again")
    }
    if place.certain > 0 { context.remark("resuming at \(place.certain) of \(content.count.bytes)") }
    return place
  }

  private func subscribe() async throws -> (GATTCharacteristic, Notifications)? {
    guard let acknowledgement = options.acknowledgement else { return nil }
    let found = try await link.characteristics([acknowledgement.characteristic])[0]
    return (
      found, try await link.soleNotifications(of: found, wantedAs: acknowledgement.characteristic.title)
    )
  }

  // MARK: Sending

  /// The device, or its link, confirms the packets.
  private func send(_ chunks: FileChunks, from start: Int, _ writer: PacketWriter) async throws {
    let source = ChunkSource(from: start) { offset, most in
      guard offset < content.count else { return nil }
      let part = try chunks.packets(from: offset, most)
      try journal?.note(.init(certain: tally.certain, possible: part.end))
      return part
    }
    let chunk = chunks.size
    let outcome = await writer.send(from: source, longest: chunks.packetSize) { [tally, content] arrived in
      tally.set(certain: min(start + arrived * chunk, content.count))
    }
    let certain = min(start + outcome.arrived * chunk, content.count)
    let possible = min(certain + outcome.uncertain * chunk, content.count)
    try journal?.note(.init(certain: certain, possible: possible))
    tally.set(certain: certain, uncertain: possible - certain)
    if let failure = source.failure ?? outcome.failure { throw failure }
  }

  /// The device acknowledges each chunk with a notification.
  private func send(
    _ chunks: FileChunks, from start: SendJournal.Place, _ writer: PacketWriter,
    _ source: (characteristic: GATTCharacteristic, notifications: Notifications)
  ) async throws {
    let (chunk, timeout) = (chunks.size, context.timeout)
    var values = source.notifications.makeAsyncIterator()
    try await link.peripheral.discardNotifications(
      of: source.characteristic, waitingIn: &values, timeout: timeout)
    if link.origin == .joined {
      try await discard((start.possible - start.certain + chunk - 1) / chunk, of: &values)
    }
    var (certain, offset) = (start.certain, start.certain)
    while certain < content.count {
      let onTheWay = (offset - certain + chunk - 1) / chunk
      if onTheWay < options.window, offset < content.count {
        let (packets, end) = try chunks.packets(from: offset, options.window - onTheWay)
        try journal?.note(.init(certain: certain, possible: end))
        let outcome = await writer.send(from: KnownValues(packets), longest: chunks.packetSize)
        offset = min(offset + (outcome.arrived + outcome.uncertain) * chunk, end)
        tally.set(certain: certain, uncertain: offset - certain)
        if let failure = outcome.failure { throw failure }
      }
      let waitStart = LoopClock.now
      guard let batch = try await values.nextBatch(until: timeout.map { waitStart + $0 }) else {
        throw BLEError.cancelled(.receiveReply(from: source.characteristic.uuid))
      }
      context.observe(notified: batch.elements, of: source.characteristic, over: link)
      for value in batch.elements {
        try check(value.value, isExpected: certain < offset)
        certain = min(certain + chunk, offset)
      }
      try journal?.note(.init(certain: certain, possible: offset))
      tally.set(certain: certain, uncertain: offset - certain)
      if batch.elements.isEmpty, let timeout, LoopClock.now - waitStart >= timeout {
        throw BLEError(
          .timedOut, during: .receiveReply(from: source.characteristic.uuid),
          "the device acknowledged nothing before the timeout")
      }
    }
  }

  /// Discards what the device may still acknowledge of a run that was killed: its link has stayed open.
  private func discard(_ count: Int, of values: inout Notifications.Iterator) async throws {
    var rest = count
    while rest > 0, let batch = try await values.nextBatch(until: LoopClock.now + Self.timeToAcknowledge),
      !batch.elements.isEmpty
    {
      rest -= batch.elements.count
    }
  }

  private func check(_ value: [UInt8], isExpected: Bool) throws {
    guard isExpected else {
      throw CommandError(
        status: .failed, message: "cannot send \(name): the device acknowledges more than it was sent")
    }
    guard let acknowledgement = options.acknowledgement, let pattern = acknowledgement.pattern else { return }
    let meaning = acknowledgement.characteristic.identity().flatMap { ValueMeaning(of: $0) }
    guard !pattern.matches(value, meaning) else { return }
    throw CommandError(
      status: .failed,
      message: "cannot send \(name): the device answers \(pattern.shown(value, meaning)), not \(pattern.text)"
    )
  }
}
