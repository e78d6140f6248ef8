// SPDX-License-Identifier: MIT
internal import Glibc
internal import ValueStreams

/// The destination of a log: an open folder, and a name in it.
///
/// In a sticky directory such as `/tmp`, any user can create links and files under the names that we want. So
/// only entries that belong to us or to root are used on the whole path to the log; and since the folder
/// stays open, it cannot be exchanged between the check and the opening.
final class LogDestination {
  /// The name of the log in its folder; not a symbolic link when it was found.
  let name: String
  private let folder: HeldEntry

  /// The limit of symbolic links, as in the kernel.
  private static let mostLinks = 40
  /// Files beside a database, which may belong to other users.
  private static let companions = ["-wal", "-shm", "-journal"]

  /// Follows a path whose last part need not exist; throws if a link on the way belongs to another user.
  init(path: String) throws(OutputError) {
    var folder = try HeldEntry(path: path.hasPrefix("/") ? "/" : ".")
    var rest = LogDestination.parts(of: path)
    var links = 0
    while let part = rest.popLast() {
      guard let entry = try folder.entry(part) else {
        guard rest.isEmpty else { throw OutputError(errno: ENOENT) }
        (name, self.folder) = (part, folder)
        return
      }
      switch entry.status.st_mode & S_IFMT {
      case S_IFLNK:
        guard folder.trusts(entry.status) else {
          throw OutputError("\(part) is a symbolic link of another user")
        }
        links += 1
        guard links <= LogDestination.mostLinks else { throw OutputError(errno: ELOOP) }
        let target = try entry.target
        if target.hasPrefix("/") { folder = try HeldEntry(path: "/") }
        rest += LogDestination.parts(of: target)
      case S_IFDIR where !rest.isEmpty: folder = entry
      case _ where rest.isEmpty:
        (name, self.folder) = (part, folder)
        return
      default: throw OutputError(errno: ENOTDIR)
      }
    }
    throw OutputError(errno: EISDIR)
  }

  /// The parts of a path, the first one last.
  private static func parts(of path: String) -> [String] {
    path.split(separator: "/").filter { $0 != "." }.reversed().map(String.init)
  }

  // MARK: Opening

  /// Opens or creates the file for reading and appending, obeying the umask; only a regular file of ours.
  func open() throws(OutputError) -> Int32 {
    let flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW
    let descriptor = openat(folder.descriptor, name, flags, 0o666)
    guard descriptor >= 0 else { throw OutputError(errno: errno) }
    do throws(OutputError) {
      guard let status = LogFile.status(of: descriptor), status.st_mode & S_IFMT == S_IFREG else {
        throw OutputError("it is not a regular file")
      }
      guard folder.trusts(status) else { throw OutputError("it belongs to another user") }
      return descriptor
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// Checks the owner of the files that SQLite keeps beside a database, since SQLite ignores it.
  func requireOwnCompanions() throws(OutputError) {
    for ending in LogDestination.companions {
      guard let entry = try folder.entry(name + ending) else { continue }
      guard entry.status.st_mode & S_IFMT == S_IFREG, folder.trusts(entry.status) else {
        throw OutputError("\(name)\(ending) belongs to another user")
      }
    }
  }

  // MARK: Replacing

  /// Puts a file with other contents, and the permissions of the open one, in its place: whole, or not at all.
  func replace(by bytes: [UInt8], like descriptor: Int32) throws(OutputError) {
    let temporary = ".\(name).\(getpid())"
    try folder.write(bytes, to: temporary, mode: LogFile.status(of: descriptor)?.st_mode ?? 0o600)
    guard renameat(folder.descriptor, temporary, folder.descriptor, name) == 0 else {
      let error = OutputError(errno: errno)
      unlinkat(folder.descriptor, temporary, 0)
      throw error
    }
  }

  // MARK: Renaming

  /// Renames the file, with a database's -wal, -shm and -journal files; returns false if that name is taken.
  func rename(to other: String) throws(OutputError) -> Bool {
    guard try folder.rename(name, to: other) else { return false }
    for ending in LogDestination.companions where try folder.entry(name + ending) != nil {
      _ = try folder.rename(name + ending, to: other + ending)
    }
    return true
  }
}

/// A folder or another file system entry, held open without being read.
private final class HeldEntry {
  let descriptor: Int32
  let status: stat

  /// O_PATH, which C headers declare only for _GNU_SOURCE: the descriptor names a file but cannot read it.
  private static let pathOnly: Int32 = 0o10_000_000

  /// Holds the result of open(2); throws if it failed.
  private init(_ descriptor: Int32) throws(OutputError) {
    guard descriptor >= 0 else { throw OutputError(errno: errno) }
    self.descriptor = descriptor
    guard let status = LogFile.status(of: descriptor) else {
      close(descriptor)
      throw OutputError(errno: errno)
    }
    self.status = status
  }

  convenience init(path: String) throws(OutputError) {
    try self.init(open(path, HeldEntry.pathOnly | O_DIRECTORY | O_CLOEXEC))
  }

  deinit { close(descriptor) }

  /// The entry with a name, which is not followed if it is a link; nil if there is none.
  func entry(_ name: String) throws(OutputError) -> HeldEntry? {
    let entry = openat(descriptor, name, HeldEntry.pathOnly | O_NOFOLLOW | O_CLOEXEC)
    return entry < 0 && errno == ENOENT ? nil : try HeldEntry(entry)
  }

  /// The target, if it is a symbolic link.
  var target: String {
    get throws(OutputError) {
      var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
      let count = buffer.withUnsafeMutableBytes { bytes in
        bytes.baseAddress.map { readlinkat(descriptor, "", $0, bytes.count) } ?? -1
      }
      guard count > 0 else { throw OutputError(errno: errno) }
      return String(decoding: buffer[..<count], as: UTF8.self)
    }
  }

  /// Returns whether an entry belongs to us or to root, as required in a sticky directory.
  func trusts(_ entry: stat) -> Bool {
    status.st_mode & S_ISVTX == 0 || entry.st_uid == geteuid() || entry.st_uid == 0
  }

  /// Writes a new file of the folder, and saves it against a power cut.
  func write(_ bytes: [UInt8], to name: String, mode: mode_t) throws(OutputError) {
    // One of this process that was killed, with the same number.
    unlinkat(descriptor, name, 0)
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let file = openat(descriptor, name, flags, 0o600)
    guard file >= 0 else { throw OutputError(errno: errno) }
    defer { close(file) }
    do throws(OutputError) {
      try LogFile.append(bytes, to: file)
      guard fchmod(file, mode & 0o777) == 0 else { throw OutputError(errno: errno) }
      try LogFile.save(file)
    } catch {
      unlinkat(descriptor, name, 0)
      throw error
    }
  }

  /// - Returns: false when the other name is taken.
  func rename(_ name: String, to other: String) throws(OutputError) -> Bool {
    if try entry(other) != nil { return false }
    guard renameat(descriptor, name, descriptor, other) == 0 else { throw OutputError(errno: errno) }
    return true
  }
}
