// SPDX-License-Identifier: MIT
internal import NIOCore
internal import NIOHTTP1

/// The connection of a client: takes its requests one by one, and sends each answer as fast as the client takes it.
final class HTTPConnection: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let site: PageSite
  private let limits: ConnectionLimits
  private let longestBody: Int

  /// The request whose body still comes.
  private var request: PageRequest?
  private var isTooLong = false
  private var version = HTTPVersion.http1_1
  private var isHead = false
  /// The rest of the answer that is being sent.
  private var body: PageAnswer.Body?
  /// The bytes of it that have been sent.
  private var sent = 0
  /// True if the next piece is sent in the next turn of the loop.
  private var isScheduled = false
  /// The bytes of it that count as waiting.
  private var waiting = 0
  /// True if the connection ends behind the answer.
  private var isLast = false
  /// True if the request was not read to its end: the beginning of the next one is unknown.
  private var isBroken = false
  /// True once nothing more is answered.
  private var isOver = false
  private var hasClientFinished = false
  /// The answers that the kernel has not taken yet.
  private var unsent = 0

  /// The amount that is sent at once.
  private static let piece = 64 * 1024

  init(_ site: PageSite, _ limits: ConnectionLimits, longestBody: Int) {
    (self.site, self.limits, self.longestBody) = (site, limits, longestBody)
  }

  // MARK: Requests

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if isOver { return }
    switch unwrapInboundIn(data) {
    case .head(let head): begin(head, context)
    case .body(let part):
      guard let length = request?.body.count, !isTooLong else { return }
      isTooLong = length + part.readableBytes > longestBody
      if !isTooLong { request?.body += Array(part.readableBytesView) }
    case .end:
      guard let whole = request else { return }
      request = nil
      limits.begin()
      if isTooLong { return send(.refusal(413, "the request is too long"), context) }
      answer(whole, context)
    }
  }

  private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    (isTooLong, isLast, isHead) = (false, !head.isKeepAlive, head.method == .HEAD)
    // The parser reads nothing behind a request for another protocol, which is answered as if it were none.
    if head.method == .CONNECT || head.headers.contains(name: "Upgrade") { isLast = true }
    version = head.version == .http1_0 ? .http1_0 : .http1_1
    do throws(PageRequest.Malformed) {
      let next = try PageRequest(head)
      let length = next.header("Content-Length").flatMap { Int($0) } ?? 0
      if length > longestBody { return refuse(.refusal(413, "the request is too long"), context) }
      request = next
      if version == .http1_1, next.header("Expect")?.lowercased() == "100-continue" {
        let head = HTTPResponseHead(version: version, status: .continue)
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
      }
    } catch {
      refuse(.refusal(400, error.reason), context)
    }
  }

  private func answer(_ request: PageRequest, _ context: ChannelHandlerContext) {
    let client = site.client(of: request, at: context.channel.remoteAddress)
    switch site.answer(to: request, from: client) {
    case .now(let answer): send(answer, context)
    case .later(let begin):
      begin { [self] answer in if !isOver { send(answer, context) } }
    }
  }

  /// Answers before the request has come to its end, and ends the connection.
  private func refuse(_ answer: PageAnswer, _ context: ChannelHandlerContext) {
    request = nil
    (isBroken, isLast) = (true, true)
    limits.begin()
    send(answer, context)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if isOver || body != nil { return }
    isHead = false
    switch error {
    case HTTPParserError.headerOverflow: refuse(.refusal(431, "the header is too long"), context)
    case is HTTPParserError: refuse(.refusal(400, "this is no request of HTTP/1.1"), context)
    default: context.close(promise: nil)
    }
  }

  // MARK: Answers

  private func send(_ answer: PageAnswer, _ context: ChannelHandlerContext) {
    var headers = HTTPHeaders()
    for (name, value) in answer.headers + PageAnswer.common + [("Date", site.date)] {
      headers.add(name: name, value: value)
    }
    var answer = answer
    switch answer.body {
    case .bytes(let bytes):
      if bytes.count > Self.piece, !isHead {
        guard site.reserve(bytes.count) else {
          return send(.refusal(503, "too much waits for slow clients", [("Retry-After", "2")]), context)
        }
        waiting = bytes.count
      }
      headers.add(name: "Content-Length", value: "\(bytes.count)")
    case .values, .records:
      if version == .http1_0 {
        isLast = true
      } else if !isHead {
        headers.add(name: "Transfer-Encoding", value: "chunked")
      }
    }
    headers.add(name: "Connection", value: isLast ? "close" : "keep-alive")
    if isHead { answer.body = .bytes([]) }
    let status = HTTPResponseStatus(statusCode: answer.status)
    let head = HTTPResponseHead(version: version, status: status, headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    (body, sent) = (answer.body, 0)
    if case .records = answer.body {
      write(Array("retry: 2000\n\n".utf8), context)
      site.hub.join(self) { [self] isQuiet in pump(context, isQuiet: isQuiet) }
    }
    pump(context)
  }

  /// Sends the next piece if the client takes it, and then lets others have their turn; with `isQuiet`, a sign of life if there is
  /// none.
  private func pump(_ context: ChannelHandlerContext, isQuiet: Bool = false) {
    guard body != nil else { return }
    // An earlier answer waits for the client, too.
    guard context.channel.isWritable else { return limits.stall(true, isStream: isStream) }
    let next = nextPiece()
    if let next, !next.isEmpty {
      write(next, context)
    } else if isQuiet {
      write(Array(":\n\n".utf8), context)
    }
    if body == nil { return end(context) }
    context.flush()
    if next?.isEmpty == false { schedulePump(context) }
  }

  private func schedulePump(_ context: ChannelHandlerContext) {
    if isScheduled { return }
    isScheduled = true
    context.eventLoop.assumeIsolated().execute { [self] in
      isScheduled = false
      pump(context)
    }
  }

  /// Returns the next bytes of the answer: none while there are no more records, nil at the end.
  private func nextPiece() -> [UInt8]? {
    switch body {
    case nil: return nil
    case .bytes(let bytes):
      let piece = bytes[sent...].prefix(Self.piece)
      sent += piece.count
      if sent == bytes.count { body = nil }
      return Array(piece)
    case .values(var text):
      let bytes = text.next(from: site.hub.model, size: Self.piece)
      body = bytes == nil ? nil : .values(text)
      return bytes
    case .records(var place, let isAllowed):
      if isAllowed() {
        let bytes = site.hub.events(after: &place, limit: Self.piece, now: site.time)
        body = .records(after: place, isAllowed: isAllowed)
        if !bytes.isEmpty || !site.hub.isOver { return bytes }
      }
      (body, isLast) = (nil, true)
      return nil
    }
  }

  private func write(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
    context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: nil)
  }

  private func end(_ context: ChannelHandlerContext) {
    release()
    isOver = isLast || hasClientFinished
    if isOver { limits.end() } else { limits.finish() }
    unsent += 1
    // The next request may be answered, and the end of the client be told, before this returns.
    context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { [self] _ in
      unsent -= 1
      if isOver, unsent == 0 {
        // With unread bytes, the end would be a reset, and the client could lose the answer.
        context.close(mode: isBroken && !hasClientFinished ? .output : .all, promise: nil)
      } else {
        closeIfFinished(context)
      }
    }
  }

  /// Closes the connection if the client asks nothing more and has its answers.
  private func closeIfFinished(_ context: ChannelHandlerContext) {
    if hasClientFinished, body == nil, limits.isIdle, unsent == 0 { context.close(promise: nil) }
  }

  private var isStream: Bool { if case .records? = body { true } else { false } }

  private func release() {
    site.release(waiting)
    waiting = 0
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if body == nil { return }
    if context.channel.isWritable { schedulePump(context) }
    limits.stall(!context.channel.isWritable, isStream: isStream)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard let event = event as? ChannelEvent, event == .inputClosed else {
      return context.fireUserInboundEventTriggered(event)
    }
    hasClientFinished = true
    // One that has asked gets its answer.
    if isStream || isOver && unsent == 0 { context.close(promise: nil) } else { closeIfFinished(context) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    isOver = true
    site.hub.leave(self)
    release()
    body = nil
    context.fireChannelInactive()
  }
}
