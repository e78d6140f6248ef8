// SPDX-License-Identifier: MIT
import Glibc
import Testing

@testable import TerminalOutput

@Suite("QueuedWriter", .timeLimit(.minutes(1)))
struct QueuedWriterTests {
  /// A pipe whose reader reads when the test wants it.
  private final class Pipe: Sendable {
    let ends: [Int32]

    init() throws {
      var ends: [Int32] = [0, 0]
      try #require(pipe(&ends) == 0)
      self.ends = ends
    }

    deinit { for end in ends { close(end) } }

    /// Reads a number of bytes.
    func read(_ count: Int) -> String {
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 4096)
      while bytes.count < count {
        let taken = Glibc.read(ends[0], &buffer, min(buffer.count, count - bytes.count))
        guard taken > 0 else { break }
        bytes += buffer[..<taken]
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  private func write(_ text: String, to writer: QueuedWriter) throws(ConsoleError) {
    try Array(text.utf8).withUnsafeBufferPointer { bytes throws(ConsoleError) in
      try writer.write(UnsafeRawBufferPointer(bytes))
    }
  }

  @Test("Lines that the reader takes are written when the call returns")
  func atOnce() throws {
    let pipe = try Pipe()
    let writer = QueuedWriter(DescriptorWriter(descriptor: pipe.ends[1]))
    try write("one\n", to: writer)
    #expect(writer.isReady)
    #expect(pipe.read(4) == "one\n")
  }

  @Test("A reader that does not read delays nothing, and gets everything later, in order")
  func later() throws {
    let pipe = try Pipe()
    let writer = QueuedWriter(DescriptorWriter(descriptor: pipe.ends[1]))
    let lines = (0..<2000).map { "line \($0) \(String(repeating: "x", count: 90))\n" }
    for line in lines { try write(line, to: writer) }
    #expect(!writer.isReady)
    let all = lines.joined()
    #expect(pipe.read(all.utf8.count) == all)
    writer.flush()
    #expect(writer.isReady)
  }

  @Test("Lines that do not fit are left out, and counted as soon as there is room")
  func omitted() throws {
    let pipe = try Pipe()
    let writer = QueuedWriter(DescriptorWriter(descriptor: pipe.ends[1]), capacity: 0)
    let long = String(repeating: "x", count: 100_000) + "\n"
    try write(long, to: writer)
    for _ in 0..<3 { try write("lost\n", to: writer) }
    let note = "blectl: lines that were left out, because they were not read: 3\n"
    #expect(pipe.read(long.utf8.count + note.utf8.count) == long + note)
    writer.flush()
    try write("next\n", to: writer)
    #expect(pipe.read(5) == "next\n")
  }

  @Test("When the process is asked to end, a reader that does not read is left alone")
  func impatient() throws {
    let pipe = try Pipe()
    // As of the thread that gets signals.
    let own = pthread_self()
    let writer = QueuedWriter(
      DescriptorWriter(
        descriptor: pipe.ends[1], waitLimit: { pthread_equal(pthread_self(), own) != 0 ? 0 : nil }))
    let text = String(repeating: "x", count: 200_000) + "\n"
    try write(text, to: writer)
    writer.flush()
    #expect(!writer.isReady)
    #expect(pipe.read(text.utf8.count) == text)
  }

  @Test("A reader that has gone is noticed")
  func gone() throws {
    signal(SIGPIPE, SIG_IGN)
    let writer = QueuedWriter(
      DescriptorWriter(write: { _ in Int(-EPIPE) }, waitUntilWritable: { _ in true }))
    #expect(throws: ConsoleError.closed) { try write("one\n", to: writer) }
    #expect(throws: ConsoleError.closed) { try write("two\n", to: writer) }
  }
}
