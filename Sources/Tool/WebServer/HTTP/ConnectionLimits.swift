// SPDX-License-Identifier: MIT
internal import NIOCore
internal import NIOHTTP1

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
  /// True if a request has begun that is not whole.
  private var isWithinRequest = false
  private var lines = RequestLines()
  /// True once a request for another protocol has come: nothing behind it is read.
  private var isForeign = false
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
    if state == .ending || isForeign { return }
    var bytes = unwrapInboundIn(data)
    unanswered += bytes.readableBytes
    guard unanswered <= limits.request else {
      state = .ending
      return context.close(promise: nil)
    }
    let end = lines.foreign(in: bytes.readableBytesView)
    let length = end ?? bytes.readableBytes
    // The last byte alone shows whether a request ends with it, or another one has begun.
    for count in [length - 1, min(length, 1)] where count > 0 {
      if let part = bytes.readSlice(length: count) { pass(part, context) }
    }
    if end != nil {
      isForeign = true
      context.fireErrorCaught(HTTPParserError.invalidVersion)
    }
  }

  private func pass(_ part: ByteBuffer, _ context: ChannelHandlerContext) {
    if state == .ending { return }
    isWithinRequest = true
    if state == .idle { receive() }
    context.fireChannelRead(wrapInboundOut(part))
  }

  private func receive() {
    state = .receiving
    limit(limits.requestTime)
  }

  /// True if no answer is under way.
  var isIdle: Bool { state != .answering }

  // MARK: What the connection tells

  /// The parser has come to the end of a request, which may have to wait for the answers to those before it.
  func endRequest() { isWithinRequest = false }

  /// The request is whole: the answer takes as long as it takes.
  func begin() {
    state = .answering
    limit(nil)
  }

  /// The answer has been sent.
  func finish() {
    (state, unanswered) = (.idle, 0)
    if isWithinRequest { receive() } else { limit(limits.idleTime) }
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

/// Tells the limits where requests end; behind the parser.
final class RequestEnds: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  private let limits: ConnectionLimits

  init(_ limits: ConnectionLimits) { self.limits = limits }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .end = unwrapInboundIn(data) { limits.endRequest() }
    context.fireChannelRead(data)
  }
}
