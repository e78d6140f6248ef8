// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import Glibc
internal import ValueStreams

/// A log file of one process: opened, locked, and monitored.
final class LogFile {
  let path: String
  /// The target of the path when it was opened.
  let destination: LogDestination
  let descriptor: Int32
  /// The time when the file was begun, or last written to before it was opened.
  private(set) var begin: Timestamp

  /// Opens or creates a file, obeying the umask, and locks it; errors are words like `Permission denied`, or
  /// name the other writer; `begin` is known of a file that was written again.
  init(path: String, now: Timestamp, begin known: Timestamp? = nil) throws(OutputError) {
    self.path = path
    begin = now
    destination = try LogDestination(path: path)
    descriptor = try destination.open()
    try LogFile.lock(descriptor)
    if let status = LogFile.status(of: descriptor), status.st_size > 0 {
      begin = known ?? Timestamp(seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
    }
  }

  deinit { Glibc.close(descriptor) }

  // MARK: Rotation

  /// Returns whether it must be put aside before more is written; if the clock was set back, it counts as
  /// begun now.
  func isDue(for rotation: LogRotation, size: Int, now: Timestamp) -> Bool {
    begin = min(begin, now)
    return rotation.isDue(size: size, begin: begin, now: now)
  }

  /// Restarts its period, because it is empty.
  func restart(at now: Timestamp) { begin = now }

  // MARK: The lock

  /// The number of times a busy lock is tried again, at intervals of 10 ms.
  ///
  /// A process that ends, or a child that is being started, may hold it a moment longer.
  private static let attempts = 20

  private static func lock(_ descriptor: Int32) throws(OutputError) {
    var left = LogFile.attempts
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      switch errno {
      case EINTR: continue
      case EWOULDBLOCK where left > 0:
        left -= 1
        usleep(10_000)
      case EWOULDBLOCK: throw OutputError("\(LockHolder.name(of: descriptor)) is already writing to it")
      case ENOLCK, ENOSYS, EOPNOTSUPP: return  // a file system without locks
      default: throw OutputError(errno: errno)
      }
    }
  }

  // MARK: State

  static func status(of descriptor: Int32) -> stat? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status : nil
  }

  var size: Int { LogFile.status(of: descriptor).map { Int($0.st_size) } ?? 0 }

  /// True if the path still leads to this file, which may have been moved or deleted.
  var isInPlace: Bool {
    var status = stat()
    guard let own = LogFile.status(of: descriptor), stat(path, &status) == 0 else { return false }
    return own.st_dev == status.st_dev && own.st_ino == status.st_ino
  }

  // MARK: Reading

  /// Reads a part of a file, or as much of it as exists.
  static func read(_ descriptor: Int32, _ range: Range<Int>) throws(OutputError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress, $0.count, off_t(range.lowerBound + done))
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw OutputError(errno: errno) }
      if count == 0 { break }
      done += count
    }
    return Array(bytes[..<done])
  }

  // MARK: Writing

  /// Appends all the bytes, or none.
  func append(_ bytes: [UInt8]) throws(OutputError) { try LogFile.append(bytes, to: descriptor) }

  /// Appends all the bytes to a file, or none.
  static func append(_ bytes: [UInt8], to descriptor: Int32) throws(OutputError) {
    let start = status(of: descriptor).map { Int($0.st_size) } ?? 0
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
    // No partial record may stay: the records are written again as a whole.
    _ = ftruncate(descriptor, off_t(start))
    throw OutputError(errno: failure)
  }

  func empty() throws(OutputError) {
    guard ftruncate(descriptor, 0) == 0 else { throw OutputError(errno: errno) }
  }

  /// Saves the data written through a descriptor against a power cut.
  static func save(_ descriptor: Int32) throws(OutputError) {
    guard fdatasync(descriptor) != 0, errno != EINVAL, errno != ENOSYS else { return }
    throw OutputError(errno: errno)
  }
}

enum LockHolder {
  /// The name for people: `blectl (process 4711)`.
  static func name(of descriptor: Int32) -> String {
    guard let status = LogFile.status(of: descriptor), let process = process(holding: status.st_ino) else {
      return "another process"
    }
    if process == getpid() { return "this command" }
    let name = WholeFile.text("/proc/\(process)/comm")?.split(separator: "\n").first
    return "\(name.map(String.init) ?? "a process") (process \(process))"
  }

  /// Lines such as `1: FLOCK  ADVISORY  WRITE 4711 fe:01:1049121 0 EOF`.
  ///
  /// Compares only the inode: some file systems name another device there than fstat does.
  private static func process(holding file: ino_t) -> pid_t? {
    for line in WholeFile.text("/proc/locks", atMost: 64 << 20)?.split(separator: "\n") ?? [] {
      let words = line.split(separator: " ")
      guard words.count >= 6, words[1] == "FLOCK", words[5].split(separator: ":").last == "\(file)" else {
        continue
      }
      return pid_t(words[4])
    }
    return nil
  }
}
