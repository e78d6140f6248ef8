// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc
internal import TerminalOutput

/// A file that exists completely, or not at all.
package struct AtomicFile: Sendable {
  package let path: String

  /// Throws early if the file could not be written later.
  package init(path: String) throws(OutputError) {
    self.path = path
    var status = stat()
    if lstat(path, &status) == 0 {
      // A link, or a device such as /dev/stdout, is never meant to be replaced.
      guard status.st_mode & S_IFMT == S_IFREG else { throw OutputError("it is not a regular file") }
    }
    guard access(folder, W_OK | X_OK) == 0 else { throw OutputError(errno: errno) }
  }

  /// Removes the earlier file, which is about to become wrong.
  package func remove() throws(OutputError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw OutputError(errno: errno) }
  }

  private var parts: (folder: String, name: String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let folder = parts.count > 1 ? parts.dropLast().joined(separator: "/") + "/" : "./"
    return (folder, parts.last.map(String.init) ?? "")
  }

  private var folder: String { parts.folder }

  /// Puts the file in its place.
  ///
  /// - Parameters:
  ///   - bytes: its contents.
  ///   - mode: its permissions, before the umask takes some away.
  ///   - owner: its owner, which only root can choose; nil for the user of this process.
  /// - Throws: ``OutputError`` if the file cannot be written; the old one then stays.
  package func write(_ bytes: [UInt8], mode: UInt32 = 0o666, owner: UInt32? = nil) throws(OutputError) {
    let (folder, name) = parts
    Self.removeLeftovers(in: folder, of: name)
    let temporary = "\(folder).\(name).\(getpid())"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw OutputError(errno: errno) }
    let writer = DescriptorWriter(descriptor: descriptor)
    let failure = bytes.withUnsafeBytes { bytes -> Int32 in
      do throws(ConsoleError) {
        try writer.writeAll(bytes)
      } catch {
        if case .failed(let number) = error { return number }
        return EPIPE
      }
      if let owner, fchown(descriptor, owner, gid_t.max) != 0 { return errno }
      return fsync(descriptor) == 0 ? 0 : errno
    }
    close(descriptor)
    if failure == 0, rename(temporary, path) == 0 { return }
    let error = OutputError(errno: failure == 0 ? errno : failure)
    unlink(temporary)
    throw error
  }

  /// Removes the temporary files of processes that were killed while they wrote.
  ///
  /// - Parameters:
  ///   - folder: the folder of the files.
  ///   - name: the name of the file that they wrote; nil for any.
  package static func removeLeftovers(in folder: String, of name: String? = nil) {
    for entry in (try? Folder.names(in: folder)) ?? [] where entry.hasPrefix(".") {
      guard let dot = entry.dropFirst().lastIndex(of: "."),
        let process = pid_t(entry[dot...].dropFirst()), process > 0,
        name.map({ entry[..<dot] == ".\($0)" }) ?? true
      else { continue }
      // Numbers of processes are used again: a file with that of this one is an old one, too.
      if process == getpid() || kill(process, 0) != 0 && errno == ESRCH { unlink("\(folder)/\(entry)") }
    }
  }
}
