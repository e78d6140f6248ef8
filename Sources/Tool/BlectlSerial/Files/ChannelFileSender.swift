// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLECentral
package import BLEFormats
internal import BlectlArguments
package import BlectlSession

/// Sends a file through an L2CAP channel, in packets.
package struct ChannelFileSender: Sendable {
  /// Counts the bytes that have left this machine: the device has made room for them.
  package let tally: TransferTally
  private let content: [UInt8]
  private let name: String
  private let chunk: Int?
  private let offsetFormat: ValueFormat?
  private let link: DeviceConnection
  private let context: CommandContext

  /// `name` is that of the file in messages, `chunk` how many of its bytes a packet has, nil for as many as fit, and
  /// `offsetFormat` how the offset before each chunk is written, nil without one.
  package init(
    _ content: [UInt8], named name: String, chunk: Int?, offsetFormat: ValueFormat?,
    over link: DeviceConnection, in context: CommandContext
  ) {
    (self.content, self.name, self.chunk, self.offsetFormat) = (content, name, chunk, offsetFormat)
    (self.link, self.context) = (link, context)
    tally = TransferTally(size: content.count)
    tally.note(isAcknowledged: false)
  }

  /// Sends the file, and returns when it has arrived; to a device that answers nothing, when it has left this machine.
  ///
  /// What the device sends meanwhile is taken and dropped, so that it is not held up.
  ///
  /// - Throws: ``CommandError``, ``BLEError``; ``tally`` then says how much has left.
  package func run(through channel: L2CAPChannel) async throws {
    let chunks = try FileChunks(
      content, of: chunk, offsetFormat: offsetFormat, into: channel.maximumSendLength, of: "channel")
    tally.begin()
    defer { tally.end() }
    try await context.showingProgress(
      isTimed: false, { [tally, name] in "sending \(name.lastPart): \(tally.progress)" }
    ) {
      try await context.loop.race(
        { try await send(chunks, through: channel) },
        {
          while let packet = try? await channel.receive(), !packet.isEmpty {}
          // What sends finds the end too, and knows how much was sent before.
          await Promise<Void>().value(ifCancelled: ())
        })
    }
    tally.note(isAcknowledged: try await link.confirmChannels())
  }

  private func send(_ chunks: FileChunks, through channel: L2CAPChannel) async throws {
    let timeout = context.timeout
    var offset = 0
    while offset < content.count {
      let (packets, end) = try chunks.packets(from: offset, 1)
      for packet in packets { try await channel.send(packet, timeout: timeout) }
      offset = end
      if let unsent = await channel.unsentCount { note(offset - unsent) }
    }
    try await channel.waitUntilSent(timeout: timeout) { [content] unsent in note(content.count - unsent) }
    note(content.count)
  }

  private func note(_ left: Int) { tally.set(certain: max(tally.certain, left)) }
}
