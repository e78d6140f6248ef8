// SPDX-License-Identifier: MIT
package import BlectlArguments
internal import Glibc
package import TerminalOutput

/// The file that is received, or standard output.
package final class TransferFile {
  private let path: String
  private let console: Console
  private var descriptor: Int32?

  private var isStandardOutput: Bool { path == "-" }

  /// Checks that a file can be written; `-` is standard output.
  ///
  /// A file that is there keeps its content until the first bytes come.
  package init(_ path: String, _ console: Console) throws(CommandError) {
    (self.path, self.console) = (path, console)
    if isStandardOutput { return }
    var status = stat()
    if stat(path, &status) != 0 {
      let isMissing = errno == ENOENT
      let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
      guard isMissing, access(folder, W_OK | X_OK) == 0 else { throw failure(errno) }
    } else if status.st_mode & S_IFMT == S_IFREG {
      guard access(path, W_OK) == 0 else { throw failure(errno) }
    } else {
      // A pipe or a device has nothing to lose; a folder is refused.
      try open()
    }
  }

  deinit { if let descriptor { close(descriptor) } }

  private func failure(_ number: Int32) -> CommandError {
    CommandError(status: .failed, message: "cannot write \(path): \(String(cString: strerror(number)))")
  }

  @discardableResult
  private func open() throws(CommandError) -> Int32 {
    if let descriptor { return descriptor }
    let opened = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0o644)
    guard opened >= 0 else { throw failure(errno) }
    descriptor = opened
    return opened
  }

  /// Ends a file that is complete: one that has no bytes is empty now.
  package func finish() throws(CommandError) {
    if !isStandardOutput { try open() }
  }

  package func write(_ bytes: [UInt8]) throws {
    if isStandardOutput { return try console.write(bytes: bytes) }
    let descriptor = try open()
    do throws(ConsoleError) {
      try bytes.withUnsafeBufferPointer { bytes throws(ConsoleError) in
        try DescriptorWriter(descriptor: descriptor).writeAll(UnsafeRawBufferPointer(bytes))
      }
    } catch {
      throw CommandError(status: .failed, message: "cannot write \(path): \(error)")
    }
  }
}
