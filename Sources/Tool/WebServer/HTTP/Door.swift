// SPDX-License-Identifier: MIT
internal import Glibc
internal import NIOCore

/// Lets connections in: as many as the limits allow, all together and from one address; more are closed at once.
final class Door: ChannelInboundHandler {
  typealias InboundIn = any Channel
  typealias InboundOut = any Channel

  private let most: Int
  private let mostEach: Int
  private var open = 0
  private var addresses: [String: Int] = [:]

  /// The pause after a failure to accept a connection: mostly, no descriptor is left.
  private static let pause = TimeAmount.milliseconds(500)

  init(_ limits: PageLimits) {
    var descriptors = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors)
    // The command needs some, too.
    most = max(4, min(limits.connections, Int(clamping: descriptors.rlim_cur) / 4))
    mostEach = max(2, min(limits.connectionsEach, most / 2))
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let channel = unwrapInboundIn(data)
    let address = ClientAddress.network(of: channel.remoteAddress)
    guard open < most, addresses[address, default: 0] < mostEach else {
      channel.close(promise: nil)
      return
    }
    open += 1
    addresses[address, default: 0] += 1
    // All connections are of the one loop.
    channel.closeFuture.assumeIsolated().whenComplete { [self] _ in leave(address) }
    context.fireChannelRead(data)
  }

  private func leave(_ address: String) {
    open -= 1
    let count = addresses[address, default: 1] - 1
    addresses[address] = count > 0 ? count : nil
  }

  /// Pauses: else `accept` would be called again and again without a descriptor for it.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    let channel = context.channel
    channel.setOption(.autoRead, value: false).whenComplete { _ in
      channel.eventLoop.scheduleTask(in: Self.pause) {
        channel.setOption(.autoRead, value: true).whenComplete { _ in }
      }
    }
  }
}
