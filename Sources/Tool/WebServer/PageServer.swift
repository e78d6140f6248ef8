// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BlueZClient
internal import Glibc
package import Histories
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// A page on a port of this machine, with a thread of its own that answers its clients.
///
/// The thread touches neither the bus nor files: it has what it is given, and asks for writes.
package final class PageServer: Sendable {
  /// The reason for a port that cannot be served.
  package struct Failure: Error {
    package let reason: String
  }

  private let thread = PageThread()
  private let channel: any Channel
  private let site: NIOLoopBound<PageSite>
  /// The port, also if a free one was wanted.
  package let port: UInt16

  /// Opens the port, and answers from now on.
  ///
  /// - Parameters:
  ///   - setup: where the page is, and who may see it.
  ///   - clock: the time.
  ///   - instant: the time for the limits of guesses and sessions.
  ///   - write: writes a value for the page.
  /// - Throws: ``Failure``, such as for a port that is taken.
  package init(
    _ setup: PageSetup, clock: @escaping @Sendable () -> Timestamp = { .now },
    instant: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    write: @escaping PageWriter = { _, end in end(.failed("nothing can be written")) }
  ) throws(Failure) {
    do {
      let loop = thread.loop
      site = try loop.submit { [thread] in
        NIOLoopBound(
          PageSite(setup, on: thread, clock: clock, instant: instant, write: write), eventLoop: loop)
      }.wait()
      channel = try Self.open(setup, on: loop, site)
      let port = channel.localAddress?.port ?? 0
      self.port = UInt16(clamping: port)
      let quiet = TimeAmount(setup.limits.quietTime)
      thread.post { [site] in
        site.value.begin(port: port)
        loop.scheduleRepeatedTask(initialDelay: quiet, delay: quiet) { _ in site.value.tick() }
      }
    } catch {
      thread.end()
      throw Failure(reason: Self.reason(error))
    }
  }

  private static func open(
    _ setup: PageSetup, on loop: any NIOCore.EventLoop, _ site: NIOLoopBound<PageSite>
  ) throws -> any Channel {
    let limits = setup.limits
    return try ServerBootstrap(group: loop)
      .serverChannelOption(.backlog, value: 128)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Door(limits))
        }
      }
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      // The kernel's share of what waits for a client that does not read.
      .childChannelOption(.socketOption(.so_sndbuf), value: 128 * 1024)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelOption(.writeBufferWaterMark, value: .init(low: 16 * 1024, high: 64 * 1024))
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try furnish(channel, site.value, limits) }
      }
      .bind(to: try SocketAddress(ipAddress: setup.host, port: Int(setup.port))).wait()
  }

  /// Gives a connection its handlers.
  private static func furnish(_ channel: any Channel, _ site: PageSite, _ limits: PageLimits) throws {
    let pipeline = channel.pipeline.syncOperations
    let gate = ConnectionLimits(limits)
    try pipeline.addHandler(gate)
    var encoding = HTTPResponseEncoder.Configuration()
    encoding.automaticallySetFramingHeaders = false
    var decoding = NIOHTTPDecoderLimitConfiguration()
    decoding.maxHeaderFieldSize = 16 * 1024
    decoding.maxHeaderListSize = 32 * 1024
    decoding.maxHeaderFieldCount = 100
    try pipeline.configureHTTPServerPipeline(
      withErrorHandling: false, withEncoderConfiguration: encoding, withDecoderLimitConfiguration: decoding)
    let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
    try pipeline.addHandler(RequestEnds(gate), position: .after(parser))
    try pipeline.addHandler(HTTPConnection(site, gate, longestBody: limits.body))
  }

  private static func reason(_ error: any Error) -> String {
    (error as? IOError).map { ErrorNumber(code: $0.errnoCode).description } ?? "\(error)"
  }

  // MARK: Records

  /// Takes records, lines of `--json`; others are left out.
  ///
  /// Returns when the page has them, so that no more of them wait than the caller holds.
  package func take(_ lines: [[UInt8]]) {
    let records = lines.compactMap { PageRecord(line: $0) }
    onLoop { $0.hub.take(records) }
  }

  /// Takes a number from before the start, which is not a record.
  package func take(_ past: PastNumbers) { onLoop { $0.hub.take(past) } }

  /// Records that no more numbers from before the start will come.
  package func endPast() { onLoop { $0.hub.endPast() } }

  /// The number of clients that follow the records.
  package var clients: Int { onLoop { $0.hub.clients } ?? 0 }

  /// Gives clients that follow the records a sign of life, and forgets what is too old, as happens by itself after a while.
  package func tick() { onLoop { $0.tick() } }

  @discardableResult
  private func onLoop<Result: Sendable>(_ body: @escaping @Sendable (PageSite) -> Result) -> Result? {
    thread.run { [site] in body(site.value) }
  }

  // MARK: The end

  /// Ends the page: clients that follow the records get the last ones, if they take them within `limit`.
  package func close(within limit: Duration) {
    channel.close(promise: nil)
    let deadline = ContinuousClock.now + limit
    onLoop { site in
      site.endWrites()
      site.hub.end()
    }
    while clients > 0, .now < deadline { usleep(2000) }
    thread.end()
  }
}
