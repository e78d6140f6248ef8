// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient

/// The two streams of a channel that are still in use: the channel is closed after both.
final class ChannelEnds: Sendable {
  enum Stream: Hashable {
    case input
    case output
  }

  private let channel: L2CAPChannel
  private let inUse = Lock<Set<Stream>>([.input, .output])

  init(of channel: L2CAPChannel) { self.channel = channel }

  func end(_ stream: Stream) {
    let isLast = inUse.withLock { inUse in inUse.remove(stream) != nil && inUse.isEmpty }
    if isLast { Task { [channel] in await channel.close() } }
  }
}
