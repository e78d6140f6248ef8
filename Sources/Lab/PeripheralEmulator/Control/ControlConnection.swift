// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc

/// A connection that receives commands and answers each before the next, a line each; confined to its loop.
final class ControlConnection {
  /// The longest line in bytes; everything after a longer one is ignored.
  static let longestLine = 1 << 16
  /// The number of bytes that a writable pipe accepts without blocking.
  private static let atomicWrite = 4096

  private let input: Int32
  private let output: Int32
  private let loop: EventLoop
  private var reading: SourceID?
  private var writing: SourceID?
  private var received: [UInt8] = []
  private var unsent: [UInt8] = []
  private var isAnswering = false
  private var isInputOver = false
  private var isDiscarding = false
  private var isClosed = false
  /// Called with each line, which must then be answered.
  var onLine: ([UInt8]) -> Void = { _ in }
  /// Called once, when the input has ended and everything is answered, or when the peer has gone.
  var onEnd: () -> Void = {}

  init(input: Int32, output: Int32, loop: EventLoop) {
    self.input = input
    self.output = output
    self.loop = loop
  }

  func start() {
    reading = loop.watch(input, for: .readable) { [weak self] _ in self?.read() }
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    for source in [reading, writing].compactMap(\.self) { loop.unwatch(source) }
    reading = nil
    writing = nil
    onEnd()
  }

  /// Answers the last line received.
  func answer(_ bytes: [UInt8]) {
    guard !isClosed else { return }
    unsent += bytes
    isAnswering = false
    write()
    next()
  }

  // MARK: Input

  private func read() {
    var buffer = [UInt8](repeating: 0, count: ControlConnection.longestLine)
    let count = Glibc.read(input, &buffer, buffer.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    if count > 0 {
      if !isDiscarding { received += buffer[..<count] }
    } else {
      isInputOver = true
      if let reading { loop.unwatch(reading) }
      reading = nil
    }
    next()
  }

  /// Passes on the next line once the previous one is answered; reads no further than necessary.
  private func next() {
    while !isClosed, !isAnswering {
      guard let line = takeLine() else { break }
      if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\t") })
      {
        continue
      }
      isAnswering = true
      onLine(line)
    }
    if let reading {
      loop.setInterest(received.count < ControlConnection.longestLine ? .readable : [], of: reading)
    }
    endIfDone()
  }

  private func takeLine() -> [UInt8]? {
    if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
      defer { received.removeFirst(end + 1) }
      return Array(received[..<end])
    }
    guard isInputOver || received.count >= ControlConnection.longestLine, !received.isEmpty else {
      return nil
    }
    // A line that is too long is passed on truncated and refused as invalid JSON.
    if !isInputOver { isDiscarding = true }
    defer { received = [] }
    return received
  }

  private func endIfDone() {
    if isInputOver, !isAnswering, received.isEmpty, unsent.isEmpty { close() }
  }

  // MARK: Output

  private func write() {
    while !unsent.isEmpty {
      var request = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
      guard poll(&request, 1, 0) == 1 else { return waitToWrite() }
      let count = Glibc.write(output, unsent, min(unsent.count, ControlConnection.atomicWrite))
      if count > 0 {
        unsent.removeFirst(count)
      } else if errno == EAGAIN {
        return waitToWrite()
      } else if errno != EINTR {
        unsent = []
        return close()
      }
    }
    if let writing { loop.unwatch(writing) }
    writing = nil
    endIfDone()
  }

  private func waitToWrite() {
    guard writing == nil else { return }
    writing = loop.watch(output, for: .writable) { [weak self] _ in self?.write() }
  }
}
