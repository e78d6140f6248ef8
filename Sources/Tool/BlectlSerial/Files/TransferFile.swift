// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BlectlArguments
internal import Glibc
package import TerminalOutput

/// The file that is received, or standard output.
package final class TransferFile {
  /// The devices of this process whose bytes files have, by their paths.
  private static let owners = Lock<[String: String]>([:])

  private let path: String
  private let console: Console
  private var descriptor: Int32?
  /// True if the file still has its old content.
  private var isOld = false

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

  /// Refuses a file that another process writes, or that has what another device has sent since this process began.
  package func claim(for device: String) throws(CommandError) {
    if isStandardOutput || descriptor != nil { return }
    let owner = Self.owners.withLock { owners in
      defer { owners[path] = owners[path] ?? device }
      return owners[path] ?? device
    }
    if owner != device {
      throw CommandError(
        status: .failed, message: "cannot write \(path): it is for what \(owner) sends",
        hint: "give each device a file of its own")
    }
    var status = stat()
    if stat(path, &status) == 0 { try lock() }
  }

  /// Opens the file, with what it has.
  private func lock() throws(CommandError) {
    let opened = Glibc.open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o644)
    guard opened >= 0 else { throw failure(errno) }
    descriptor = opened
    var status = stat()
    guard fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    isOld = true
    // What cannot be locked, such as a file of some network, is written all the same.
    guard flock(opened, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else { return }
    throw CommandError(status: .failed, message: "cannot write \(path): another process receives to it")
  }

  deinit { if let descriptor { close(descriptor) } }

  private func failure(_ number: Int32) -> CommandError {
    CommandError(status: .failed, message: "cannot write \(path): \(String(cString: strerror(number)))")
  }

  @discardableResult
  private func open() throws(CommandError) -> Int32 {
    if descriptor == nil { try lock() }
    guard let descriptor else { throw failure(EBADF) }
    guard isOld else { return descriptor }
    isOld = false
    guard ftruncate(descriptor, 0) == 0 else { throw failure(errno) }
    return descriptor
  }

  /// Ends a file that is complete: one that has no bytes is empty now.
  package func finish() throws(CommandError) {
    if !isStandardOutput { try open() }
  }

  /// Writes the bytes, and tells `count` how many of them; also of those before the one that fails.
  package func write(_ bytes: [UInt8], _ count: (Int) -> Void) throws {
    if isStandardOutput {
      try console.write(bytes: bytes)
      return count(bytes.count)
    }
    let descriptor = try open()
    do throws(ConsoleError) {
      try bytes.withUnsafeBufferPointer { bytes throws(ConsoleError) in
        try DescriptorWriter(descriptor: descriptor).writeAll(UnsafeRawBufferPointer(bytes), count)
      }
    } catch {
      throw CommandError(status: .failed, message: "cannot write \(path): \(error)")
    }
  }
}
