// SPDX-License-Identifier: MIT
internal import NIOCore

/// Limits what a connection sends, and how long it takes for that, before anything is parsed.
final class ConnectionLimits: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private enum State {
    /// Between two requests.
    case idle
    case receiving
    case answering
    /// Further input is discarded.
    case ending
  }

  private let limits: PageLimits
  private var state = State.idle
  /// The bytes that were sent since the last answer.
  private var unanswered = 0
  private var timer: Scheduled<Void>?
  private weak var channel: (any Channel)?

  /// The time in which a client may take the last answer.
  private static let endTime = Duration.seconds(2)

  init(_ limits: PageLimits) { self.limits = limits }

  func channelActive(context: ChannelHandlerContext) {
    channel = context.channel
    // A client that connects has something to ask.
    limit(limits.requestTime)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if state == .ending { return }
    unanswered += unwrapInboundIn(data).readableBytes
    guard unanswered <= limits.request else {
      state = .ending
      return context.close(promise: nil)
    }
    if state == .idle {
      state = .receiving
      limit(limits.requestTime)
    }
    context.fireChannelRead(data)
  }

  /// True if no answer is under way.
  var isIdle: Bool { state != .answering }

  // MARK: What the connection tells

  /// The request is whole: the answer takes as long as it takes.
  func begin() {
    state = .answering
    limit(nil)
  }

  /// The answer has been sent.
  func finish() {
    (state, unanswered) = (.idle, 0)
    limit(limits.idleTime)
  }

  /// The client takes nothing, or takes again what waits for it.
  func stall(_ isStalled: Bool, isStream: Bool) {
    if state == .answering { limit(isStalled ? isStream ? limits.streamStallTime : limits.stallTime : nil) }
  }

  /// Nothing more is read: the connection ends in a moment, behind the answer.
  func end() {
    state = .ending
    limit(Self.endTime)
  }

  private func limit(_ time: Duration?) {
    timer?.cancel()
    timer = nil
    guard let time, let channel else { return }
    timer = channel.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(time)) { [weak channel] in
      channel?.close(promise: nil)
    }
  }
}
