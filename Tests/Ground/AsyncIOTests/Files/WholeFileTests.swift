// SPDX-License-Identifier: MIT
import AsyncIO
import Glibc
import TestSupport
import Testing

@Suite("Whole files")
struct WholeFileTests {
  private struct Refused: Error {}

  @Test("A pipe is read to its end, in parts")
  func pipe() throws {
    let ends = try Self.pipe(holding: [1, 2, 3])
    defer { close(ends) }
    var parts: [[UInt8]] = []
    let bytes = WholeFile.read(ends, atMost: 3) { part throws(Never) in parts.append(Array(part)) }
    #expect(bytes == .success([1, 2, 3]))
    #expect(parts == [[1, 2, 3]])
  }

  @Test("One byte more than the limit is too long")
  func limit() throws {
    let descriptor = try Self.pipe(holding: [1, 2, 3])
    defer { close(descriptor) }
    #expect(WholeFile.read(descriptor, atMost: 2) { _ throws(Never) in } == .failure(.tooLong))
  }

  @Test("The check of a part ends the read with its error")
  func refusal() throws {
    let descriptor = try Self.pipe(holding: [0])
    defer { close(descriptor) }
    #expect(throws: Refused.self) {
      _ = try WholeFile.read(descriptor, atMost: 8) { _ throws(Refused) in throw Refused() }
    }
  }

  @Test("A missing file, and a folder, fail with the error of the system")
  func missing() {
    #expect(throws: WholeFile.Failure.system(ENOENT)) { try WholeFile.read("/nowhere", atMost: 8) }
    #expect(throws: WholeFile.Failure.system(EISDIR)) { try WholeFile.read("/", atMost: 8) }
    #expect(WholeFile.text("/nowhere") == nil)
  }

  @Test("A file of the kernel, whose size is unknown, is read to its end")
  func kernelFile() throws {
    let text = try #require(WholeFile.text("/proc/self/status"))
    #expect(text.hasPrefix("Name:"))
    #expect(text.hasSuffix("\n"))
  }

  /// The reading end of a pipe whose other end is closed.
  private static func pipe(holding bytes: [UInt8]) throws -> Int32 {
    var ends: [Int32] = [0, 0]
    try #require(Glibc.pipe(&ends) == 0)
    try #require(write(ends[1], bytes, bytes.count) == bytes.count)
    close(ends[1])
    return ends[0]
  }
}
