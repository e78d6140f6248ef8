// SPDX-License-Identifier: MIT
import Glibc
import Synchronization
import Testing

@testable import TerminalOutput

@Suite("DescriptorWriter")
struct DescriptorWriterTests {
  /// A system that answers each write by a script: a positive number takes that many bytes, a negative one is an
  /// error.
  private final class FakeSystem: Sendable {
    private let state: Mutex<(answers: [Int], taken: [UInt8], waits: Int)>
    /// For how many waits the reader takes something, once the process shall end.
    private let waitLimit: Int?

    init(_ answers: [Int], waitLimit: Int? = nil) {
      state = Mutex((answers, [], 0))
      self.waitLimit = waitLimit
    }

    var taken: String { state.withLock { String(decoding: $0.taken, as: UTF8.self) } }
    var waits: Int { state.withLock { $0.waits } }

    var writer: DescriptorWriter {
      DescriptorWriter(
        write: { [self] bytes in
          let copy = Array(bytes)
          return state.withLock { state in
            let answer = state.answers.isEmpty ? copy.count : state.answers.removeFirst()
            if answer > 0 { state.taken += copy.prefix(answer) }
            return min(answer, copy.count)
          }
        },
        waitUntilWritable: { [self] limit in
          state.withLock { state in
            state.waits += 1
            return limit == nil || state.waits <= waitLimit ?? 0
          }
        },
        waitLimit: { [waitLimit] in waitLimit })
    }
  }

  private func write(_ text: String, to system: FakeSystem) -> ConsoleError? {
    do throws(ConsoleError) {
      try Array(text.utf8).withUnsafeBufferPointer { bytes throws(ConsoleError) in
        try system.writer.writeAll(UnsafeRawBufferPointer(bytes))
      }
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "Everything arrives, however the system takes it",
    arguments: [
      ([], 0), ([1, 2, 3], 0), ([Int(-EINTR), 4], 0), ([Int(-EAGAIN), 2, Int(-EAGAIN), Int(-EAGAIN)], 3),
    ])
  func everything(answers: [Int], waits: Int) {
    let system = FakeSystem(answers)
    #expect(write("hello world", to: system) == nil)
    #expect(system.taken == "hello world")
    #expect(system.waits == waits)
  }

  @Test(
    "An error ends the write",
    arguments: [
      (Int(-EPIPE), ConsoleError.closed), (Int(-ENOSPC), .failed(errno: ENOSPC)), (0, .failed(errno: EIO)),
    ])
  func errors(answer: Int, error: ConsoleError) {
    let system = FakeSystem([5, answer])
    #expect(write("hello world", to: system) == error)
    #expect(system.taken == "hello")
  }

  @Test("When the process must end, bytes that a pipe takes at once are written while the reader reads")
  func slowReader() {
    let text = String(repeating: "x", count: 10_000)
    let system = FakeSystem([Int(-EINTR)], waitLimit: 4)
    #expect(write(text, to: system) == nil)
    #expect(system.taken == text)
    #expect(system.waits == 4)
  }

  @Test("When the process must end, a reader that does not read is left alone")
  func stalledReader() {
    let system = FakeSystem([], waitLimit: 1)
    #expect(write(String(repeating: "x", count: 10_000), to: system) == .interrupted)
    #expect(system.taken.count == Int(PIPE_BUF))
  }

  @Test("Nothing is written for no bytes")
  func empty() {
    let system = FakeSystem([Int(-EPIPE)])
    #expect(write("", to: system) == nil)
  }

  @Test("A real pipe takes the bytes")
  func pipeTakes() {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    defer { ends.forEach { close($0) } }
    var line = Array("line\n".utf8)
    let written: Void? = try? line.withUnsafeBytes { try DescriptorWriter(descriptor: ends[1]).writeAll($0) }
    #expect(written != nil)
    #expect(read(ends[0], &line, 5) == 5)
  }

  @Test("Errors are worded by the system")
  func wording() {
    #expect(ConsoleError.failed(errno: ENOSPC).description == "No space left on device")
    #expect(ConsoleError.interrupted.description == "the reader does not read")
    #expect(ConsoleError.closed.description == "the reader has closed the pipe")
  }
}
