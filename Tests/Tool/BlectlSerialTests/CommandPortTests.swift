// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc
internal import TestSupport
internal import Testing

@testable internal import BlectlSerial

@Suite("Served commands", .timeLimit(.minutes(1)))
struct CommandPortTests {
  private let loop = EventLoop.shared

  /// Runs `body` on the loop with a port, and hangs up.
  private func with(
    _ command: [String], _ body: @escaping @Sendable (CommandPort) async throws -> Void
  ) async throws {
    try await Task(executorPreference: loop) { [loop] in
      let port = CommandPort(command, restTime: .zero, patience: .seconds(50), on: loop)
      try await body(port)
      port.end()
      await port.waitUntilEnded()
    }.value
  }

  @Test("A command that has ended is read to its last byte, and started again")
  func again() async throws {
    let text = (1...5000).map { "\($0)\r\n" }.joined()
    let output = Array((text + text + text).utf8)
    try await with(["seq", "5000"]) { port in
      let read = try await port.read { $0.count >= output.count }
      #expect(read.prefix(output.count) == output[...])
    }
  }

  @Test("Each run of a command gets the input that comes while it runs")
  func input() async throws {
    try await with(["sh", "-c", "echo ready; read line; echo got $line"]) { port in
      _ = try await port.read { $0.hasSuffix("ready\r\n") }
      for word in ["one", "two", "three"] {
        try await port.writeAll(Array("\(word)\n".utf8))
        let answer = try await port.read { $0.hasSuffix("ready\r\n") }
        #expect(answer.contains("got \(word)\r\n"))
      }
    }
  }

  @Test("The hang-up lets a shell end by itself, and reaches its jobs")
  func hangUp() async throws {
    let directory = try ScratchDirectory()
    let (hung, job) = ("\(directory.path)/hung", "\(directory.path)/job")
    try #require(mkfifo(job, 0o600) == 0)
    let reader = OwnedDescriptor(adopting: open(job, O_RDONLY | O_NONBLOCK | O_CLOEXEC))
    let stream = ByteStream(adopting: reader, on: loop)
    try await with(["bash", "--norc", "-i"]) { port in
      // The prompt: reading starts the command.
      _ = try await port.read { !$0.isEmpty }
      try await port.writeAll(
        Array("trap 'echo hung >\(hung)' EXIT; (echo x; exec sleep 1000) >\(job) &\n".utf8))
      // The job runs, and holds the writing end.
      #expect(await stream.read(16) == Array("x\n".utf8))
    }
    #expect(directory.read("hung") == "hung\n")
    // The end of the job closes the last writing end.
    let rest = await Task(executorPreference: loop) { await stream.read(1) }.value
    #expect(rest == nil)
  }
}

extension [UInt8] {
  fileprivate func hasSuffix(_ text: String) -> Bool { suffix(text.utf8.count) == Array(text.utf8)[...] }
  fileprivate func contains(_ text: String) -> Bool { String(decoding: self, as: UTF8.self).contains(text) }
}
