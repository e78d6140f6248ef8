// SPDX-License-Identifier: MIT
package import AsyncIO
package import BLEFormats
package import BlectlArguments
internal import Glibc
internal import JSON
internal import ValueStreams

/// The file with the keys of a person's devices, which only its owner may read.
package struct KeysFile: Sendable, Hashable {
  package let path: String

  /// Far more than any keys, but refuses endless files.
  private static let longest = 1 << 20

  package init(path: String) { self.path = path }

  /// The file that was given, else that of `BLECTL_KEYS`, else that of the user; nil without a home.
  package init?(given path: String?, environment: (String) -> String?) {
    let named = path ?? environment("BLECTL_KEYS").flatMap { $0.isEmpty ? nil : $0 }
    guard let path = named ?? UserFolder.configuration.path(of: "keys.json", environment) else { return nil }
    self.path = path
  }

  // MARK: Reading

  /// Reads the keys; returns nil if there is no file.
  ///
  /// - Throws: ``CommandError`` with status usage if others may read the file, or if it has mistakes, which it lists without
  ///   any text that may be a key.
  package func read() throws(CommandError) -> KeyRing? {
    guard let bytes = try contents() else { return nil }
    do throws(JSONError) {
      return try KeysDocument.keys(in: bytes)
    } catch {
      let report = JSONReport(error, in: path)
      var usage = CommandError.usage("cannot use the keys: \(report.summary)")
      usage.details = report.mistakes
      throw usage
    }
  }

  private func contents() throws(CommandError) -> [UInt8]? {
    try PrivateFile(path, of: "the keys").read(atMost: Self.longest)
  }

  // MARK: Writing

  /// Changes the keys: no other process changes them between reading and writing.
  ///
  /// - Returns: what `body` returns; the file is written unless that is empty.
  package func change(
    on loop: EventLoop, _ body: (inout KeyRing) throws -> [KeyChange]
  ) async throws -> [KeyChange] {
    FileStatus.makeFolder(of: path)
    let lock = try await lock(on: loop)
    defer { close(lock) }
    var ring = try read() ?? KeyRing()
    let changes = try body(&ring)
    if !changes.isEmpty { try write(ring) }
    return changes
  }

  /// The time limit for another process to change the keys.
  private static let patience = Duration.seconds(10)

  /// Locks the folder, since the file is replaced; returns a descriptor that holds the lock.
  private func lock(on loop: EventLoop) async throws -> Int32 {
    let parts = target.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    let folder = parts.isEmpty ? "." : parts.joined(separator: "/") + "/"
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(OutputError(errno: errno)) }
    do {
      let limit = LoopClock.now + Self.patience
      while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
        switch errno {
        case EINTR: continue
        case EWOULDBLOCK where LoopClock.now < limit: try await loop.sleep(for: .milliseconds(10))
        case EWOULDBLOCK: throw failure(OutputError("another process is changing it"))
        case ENOLCK, ENOSYS, EOPNOTSUPP: return descriptor  // a file system without locks
        default: throw failure(OutputError(errno: errno))
        }
      }
      return descriptor
    } catch {
      close(descriptor)
      throw error
    }
  }

  private func failure(_ error: OutputError) -> CommandError {
    CommandError(status: .failed, message: "cannot write \(path): \(error)")
  }

  /// Replaces the file at once, for its owner only; makes its folder if needed.
  ///
  /// The file of another user, which only root can replace, stays that user's.
  func write(_ ring: KeyRing) throws(CommandError) {
    do throws(OutputError) {
      FileStatus.makeFolder(of: path)
      try AtomicFile(path: target).write(KeysDocument.text(of: ring), mode: 0o600, owner: owner)
    } catch {
      throw failure(error)
    }
  }

  /// The file behind a link, which stays.
  private var target: String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private var owner: uid_t? {
    var status = stat()
    if geteuid() != 0 { return nil }
    return stat(path, &status) == 0 ? status.st_uid : PrivateFile.caller
  }
}
