// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import CoreBluetooth

/// A program that uses a channel as Apple's guide does: by the events of its streams, on a thread with a run loop.
final class ChannelUser: NSObject, StreamDelegate, @unchecked Sendable {
  private struct State {
    var rest: Data
    var received = Data()
    var events: [String] = []
  }

  private let channel: CBL2CAPChannel
  private let state: Lock<State>
  private let changes: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  /// Opens both streams, and sends data.
  init(_ channel: CBL2CAPChannel, sends data: Data = Data()) {
    self.channel = channel
    state = Lock(State(rest: data))
    (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    super.init()
    Thread { [self] in
      for stream: Stream in [channel.inputStream, channel.outputStream] {
        stream.delegate = self
        stream.schedule(in: .current, forMode: .default)
        stream.open()
      }
      RunLoop.current.run()
      note("run loop ended")
    }.start()
  }

  var received: Data { state.withLock { $0.received } }
  var events: [String] { state.withLock { $0.events } }
  var unsent: Int { state.withLock { $0.rest.count } }

  /// Waits until something holds of this program.
  func waits(until isTrue: (ChannelUser) -> Bool) async {
    if isTrue(self) { return }
    for await _ in changes { if isTrue(self) { return } }
  }

  func close() {
    channel.inputStream.close()
    channel.outputStream.close()
  }

  private func note(_ event: String) {
    state.withLock { $0.events.append(event) }
    continuation.yield()
  }

  func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
    let name = aStream === channel.inputStream ? "input" : "output"
    switch eventCode {
    case .openCompleted: note("\(name) opened")
    case .hasBytesAvailable: read()
    case .hasSpaceAvailable: write()
    case .endEncountered: note("\(name) ended")
    case .errorOccurred: note("\(name) failed: \(aStream.streamError as Any)")
    default: note("\(name) event \(eventCode.rawValue)")
    }
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 1000)
    let count = channel.inputStream.read(&buffer, maxLength: buffer.count)
    if count < 1 { return note("read returned \(count)") }
    state.withLock { $0.received.append(contentsOf: buffer[..<count]) }
    continuation.yield()
  }

  private func write() {
    let next = state.withLock { Array($0.rest.prefix(3000)) }
    guard !next.isEmpty else { return }
    let count = channel.outputStream.write(next, maxLength: next.count)
    if count < 1 { return note("write returned \(count)") }
    state.withLock { $0.rest = Data($0.rest.dropFirst(count)) }
    continuation.yield()
  }
}
