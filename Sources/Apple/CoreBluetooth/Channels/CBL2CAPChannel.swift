// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
public import Foundation

/// An L2CAP channel to another device, as two streams of bytes.
///
/// Open both streams before use. They report events to their delegates on the run loops on which they are scheduled;
/// without one, `read` waits for bytes, and `write` for room.
///
/// The channel lasts until both streams are closed or released, the other device closes it, or the link ends. What was
/// written before the output stream is closed is still sent, for at most 5 s. Only an answer of the other device shows
/// that it has arrived.
///
/// BlueZ: none of its calls. The channel is a socket of the kernel.
///
/// It is Sendable because it never changes, and its streams lock what they hold.
open class CBL2CAPChannel: NSObject, @unchecked Sendable {
  private let otherEnd: CBPeer
  private let input: InputStream
  private let output: OutputStream
  private let number: CBL2CAPPSM

  init(_ channel: L2CAPChannel, to peer: CBPeer) {
    let ends = ChannelEnds(of: channel)
    (otherEnd, number) = (peer, channel.psm)
    let sent = SentBytes(to: channel, ends)
    input = ChannelInputStream(ReceivedBytes(from: channel, ends) { sent.channelEnded($0) })
    output = ChannelOutputStream(sent)
  }

  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// The device at the other end.
  open var peer: CBPeer! { otherEnd }
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// The data from the other end.
  open var inputStream: InputStream! { input }
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// The data to the other end.
  open var outputStream: OutputStream! { output }
  /// The number of the channel.
  open var psm: CBL2CAPPSM { number }
}

/// The number of an L2CAP channel.
public typealias CBL2CAPPSM = UInt16

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
