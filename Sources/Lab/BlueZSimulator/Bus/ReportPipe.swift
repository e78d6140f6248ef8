// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc

/// A pipe on which a child process reports one line.
final class ReportPipe {
  private let ends: Lock<(reader: Int32, writer: Int32)>

  init() throws(SimulatorError) {
    var pair: [Int32] = [-1, -1]
    guard pipe(&pair) == 0 else { throw .busDaemonFailed(String(cString: strerror(errno))) }
    for end in pair { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(pair[0], F_SETFL, O_NONBLOCK)
    ends = Lock((reader: pair[0], writer: pair[1]))
  }

  deinit {
    let (reader, writer) = ends.withLock { $0 }
    close(reader)
    if writer >= 0 { close(writer) }
  }

  /// The end that the child inherits.
  var writer: Int32 { ends.withLock { $0.writer } }

  /// Returns the line without its newline, or nil if the child ends or the time is up first.
  func line(on loop: EventLoop, within limit: Duration) async -> String? {
    let reader = ends.withLock { ends in
      close(ends.writer)  // so that the child's end is the last one
      ends.writer = -1
      return ends.reader
    }
    let result = Promise<String?>()
    loop.submit { LineReader(reader, on: loop, result: result).start(within: limit) }
    return await result.value
  }
}

/// Reads one line; its registrations on the loop keep it alive.
private final class LineReader {
  private let descriptor: Int32
  private let loop: EventLoop
  private let result: Promise<String?>
  private var bytes: [UInt8] = []
  private var source: SourceID?
  private var timer: TimerID?

  init(_ descriptor: Int32, on loop: EventLoop, result: Promise<String?>) {
    self.descriptor = descriptor
    self.loop = loop
    self.result = result
  }

  func start(within limit: Duration) {
    source = loop.watch(descriptor, for: .readable) { _ in self.read() }
    timer = loop.schedule(at: LoopClock.now + limit) { self.finish(nil) }
  }

  private func read() {
    var chunk = [UInt8](repeating: 0, count: 512)
    let count = Glibc.read(descriptor, &chunk, chunk.count)
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    guard count > 0 else { return finish(nil) }
    bytes += chunk.prefix(count)
    if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
      finish(String(decoding: bytes[..<end], as: UTF8.self))
    }
  }

  private func finish(_ line: String?) {
    if let source { loop.unwatch(source) }
    if let timer { loop.cancel(timer) }
    source = nil
    timer = nil
    result.fulfil(line)
  }
}
