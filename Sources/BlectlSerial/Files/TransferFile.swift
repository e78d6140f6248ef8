// SPDX-License-Identifier: MIT
package import BlectlArguments
internal import Glibc
package import TerminalOutput

/// The file that is received, or standard output.
package final class TransferFile {
  private let path: String
  private let console: Console
  /// Nil for standard output.
  private let descriptor: Int32?

  /// Opens a new file, or empties the one that is there; `-` is standard output.
  package init(_ path: String, _ console: Console) throws(CommandError) {
    (self.path, self.console) = (path, console)
    if path == "-" {
      descriptor = nil
      return
    }
    let opened = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0o644)
    guard opened >= 0 else {
      throw CommandError(
        status: .failed, message: "cannot write \(path): \(String(cString: strerror(errno)))")
    }
    descriptor = opened
  }

  deinit { if let descriptor { close(descriptor) } }

  package func write(_ bytes: [UInt8]) throws {
    guard let descriptor else { return try console.write(bytes: bytes) }
    do throws(ConsoleError) {
      try bytes.withUnsafeBufferPointer { bytes throws(ConsoleError) in
        try DescriptorWriter(descriptor: descriptor).writeAll(UnsafeRawBufferPointer(bytes))
      }
    } catch {
      throw CommandError(status: .failed, message: "cannot write \(path): \(error)")
    }
  }
}
