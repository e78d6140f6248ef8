// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import Glibc
internal import WebModel

/// The program `blectl-web`: serves what `blectl` tells it over an inherited socket, and ends with it.
package enum WebProgram {
  /// The socket, as `blectl` passes it on.
  private static let descriptor: Int32 = 3

  /// Runs until `blectl` closes the socket; ends the process.
  package static func main() async -> Never {
    signal(SIGPIPE, SIG_IGN)
    let input = LineInput(descriptor)
    guard let line = input.next(), let setup = WebSetup(line: line) else {
      let text = "blectl-web: blectl starts this program, for --web\n"
      _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
      exit(64)
    }
    let hub = RecordHub(
      limits: PageModel.Limits(history: setup.history), epoch: String(Timestamp.now.seconds, radix: 36),
      awaitsPast: setup.awaitsPast)
    let writer = ValueWriting { Self.send($0) }
    WorkerThread.start(with: input) { input in
      while let lines = input.waiting() {
        let messages = lines.map { WebMessage(line: $0) }
        for message in messages {
          switch message {
          case .written(let id, let error)?: writer.end(id, error: error)
          case .past(let numbers)?: hub.take(numbers)
          case .pastEnded?: hub.endPast()
          case .listening?, .failed?, .write?, nil: break
          }
        }
        hub.take(zip(lines, messages).filter { $1 == nil }.map(\.0))
      }
      hub.end()
      // Clients get the last records.
      for _ in 0..<50 where hub.clients > 0 { usleep(10_000) }
      exit(0)
    }
    do {
      try await PageServer(hub, setup, writer: writer).run { port in
        Self.send(WebMessage.listening(port: port).line)
      }
      send(WebMessage.failed(reason: "the server has ended").line)
    } catch {
      send(WebMessage.failed(reason: PageServer.reason(error)).line)
    }
    exit(1)
  }

  private static let sending = Lock(true)

  private static func send(_ line: [UInt8]) {
    // One at a time; blectl reads what is sent.
    sending.withLock { _ in _ = BlockingSocket.send(line, to: descriptor) }
  }
}

/// Lines of a socket, read on the calling thread.
private final class LineInput {
  private let descriptor: Int32
  private var lines = LineBuffer()

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// The next line, without its end; nil at the end of the input.
  func next() -> [UInt8]? {
    while true {
      if let line = lines.next() { return line }
      guard more() else { return nil }
    }
  }

  /// All lines that have come, at least one; nil at the end of the input.
  func waiting() -> [[UInt8]]? {
    while true {
      if let all = lines.all() { return all }
      guard more() else { return nil }
    }
  }

  private func more() -> Bool {
    guard let bytes = BlockingSocket.receive(from: descriptor) else { return false }
    lines.append(bytes)
    return true
  }
}
