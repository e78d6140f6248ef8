// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BlectlArguments
internal import Glibc
internal import TerminalOutput

/// A file that what is received is appended to.
package final class SerialLog: Sendable {
  private let descriptor: Int32
  private let path: String
  private let state = Lock<CommandError?>(nil)
  /// True if the last line of an earlier run is unfinished.
  private let mustEndLine: Lock<Bool>
  private let report: @Sendable (String) -> Void

  /// `beginsLine` begins on a line of its own, behind an unfinished one of an earlier run.
  ///
  /// - Throws: ``CommandError`` if it cannot be opened, or something may have to be waited for at each write.
  package init(
    _ path: String, beginsLine: Bool, report: @escaping @Sendable (String) -> Void
  ) throws(CommandError) {
    func failure(_ reason: String) -> CommandError {
      CommandError(status: .failed, message: "cannot write \(path): \(reason)")
    }
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o644)
    guard descriptor >= 0 else { throw failure(String(cString: strerror(errno))) }
    var found = stat()
    guard fstat(descriptor, &found) == 0, found.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw failure("it is not a file")
    }
    (self.descriptor, self.path, self.report) = (descriptor, path, report)
    mustEndLine = Lock(beginsLine && found.st_size > 0 && Self.lastByte(of: path) != UInt8(ascii: "\n"))
  }

  /// The last byte of a file; nil if it has none, or cannot be read.
  private static func lastByte(of path: String) -> UInt8? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var byte: UInt8 = 0
    let end = lseek(descriptor, -1, SEEK_END)
    return end >= 0 && read(descriptor, &byte, 1) == 1 ? byte : nil
  }

  deinit { close(descriptor) }

  /// The failure that has ended the log.
  package var failure: CommandError? { state.withLock { $0 } }

  /// Appends bytes; a failure is reported, and ends the log.
  package func write(_ bytes: [UInt8]) {
    guard failure == nil, !bytes.isEmpty else { return }
    let bytes = mustEndLine.exchange(false) ? [UInt8(ascii: "\n")] + bytes : bytes
    do throws(ConsoleError) {
      try bytes.withUnsafeBufferPointer { bytes throws(ConsoleError) in
        try DescriptorWriter(descriptor: descriptor).writeAll(UnsafeRawBufferPointer(bytes))
      }
    } catch {
      let message = "cannot write \(path): \(error)"
      state.exchange(CommandError(status: .failed, message: message))
      report("\(message); nothing more is logged")
    }
  }
}
