// SPDX-License-Identifier: MIT
internal import Glibc

/// A file that one process writes a log to: opened, locked, and looked after.
final class LogFile {
  let path: String
  let descriptor: Int32

  /// Opens a file, or makes it, obeying the umask, and locks it.
  ///
  /// - Throws: the reason in words: `Permission denied`, or who writes to it already.
  init(path: String) throws(LogError) {
    self.path = path
    descriptor = try LogFile.openSafely(path)
    guard let status = LogFile.status(of: descriptor), status.st_mode & S_IFMT == S_IFREG else {
      throw LogError("it is not a regular file")
    }
    try LogFile.lock(descriptor)
  }

  deinit { Glibc.close(descriptor) }

  // MARK: Opening

  /// A symbolic link is followed where nobody else can have laid it: in `/tmp`, anybody could make us write elsewhere.
  private static func openSafely(_ path: String) throws(LogError) -> Int32 {
    let flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
    var descriptor = open(path, flags | O_NOFOLLOW, 0o666)
    if descriptor < 0, errno == ELOOP {
      try requireTrustworthyLink(path)
      descriptor = open(path, flags, 0o666)
    }
    guard descriptor >= 0 else { throw LogError(errno: errno) }
    return descriptor
  }

  private static func requireTrustworthyLink(_ path: String) throws(LogError) {
    var (link, folder) = (stat(), stat())
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let parent = parts.count > 1 ? parts.dropLast().joined(separator: "/") + "/" : "."
    guard lstat(path, &link) == 0, stat(parent, &folder) == 0 else { throw LogError(errno: errno) }
    let isSticky = folder.st_mode & S_ISVTX != 0
    guard !isSticky || link.st_uid == geteuid() || link.st_uid == folder.st_uid else {
      throw LogError("it is a symbolic link that somebody else has laid")
    }
  }

  // MARK: The lock

  private static func lock(_ descriptor: Int32) throws(LogError) {
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      switch errno {
      case EINTR: continue
      case EWOULDBLOCK: throw LogError("\(LockHolder.name(of: descriptor)) writes to it already")
      case ENOLCK, ENOSYS, EOPNOTSUPP: return  // a file system without locks
      default: throw LogError(errno: errno)
      }
    }
  }

  // MARK: State

  static func status(of descriptor: Int32) -> stat? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status : nil
  }

  /// Its size in bytes.
  var size: Int { LogFile.status(of: descriptor).map { Int($0.st_size) } ?? 0 }

  /// Whether the path still leads to this file: it may have been moved away or deleted.
  var isInPlace: Bool {
    var status = stat()
    guard let own = LogFile.status(of: descriptor), stat(path, &status) == 0 else { return false }
    return own.st_dev == status.st_dev && own.st_ino == status.st_ino
  }

  // MARK: Writing

  /// Appends all the bytes, or none.
  func append(_ bytes: [UInt8]) throws(LogError) {
    let start = size
    let failure = bytes.withUnsafeBytes { buffer -> Int32 in
      var rest = buffer[...]
      while !rest.isEmpty {
        let slice = UnsafeRawBufferPointer(rebasing: rest)
        let count = write(descriptor, slice.baseAddress, slice.count)
        if count > 0 {
          rest = rest.dropFirst(count)
        } else if count == 0 || errno != EINTR {
          return count == 0 ? ENOSPC : errno
        }
      }
      return 0
    }
    if failure == 0 { return }
    // Half a record must not stay: what waits is written again as a whole.
    _ = ftruncate(descriptor, off_t(start))
    throw LogError(errno: failure)
  }

  /// Makes what was written outlast a power cut.
  func save() throws(LogError) {
    guard fdatasync(descriptor) != 0, errno != EINVAL, errno != ENOSYS else { return }
    throw LogError(errno: errno)
  }
}

/// Why a log cannot be written, in words.
struct LogError: Error, Hashable {
  let reason: String

  init(_ reason: String) { self.reason = reason }

  init(errno number: Int32) { reason = String(cString: strerror(number)) }
}
