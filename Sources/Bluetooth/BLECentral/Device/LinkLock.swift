// SPDX-License-Identifier: MIT
internal import Glibc

/// Counts the programs of this library that use the link to one device, and lets only one of them open it.
///
/// BlueZ does not count users: the first `Disconnect` ends a link for all of them. The locks are on a file in
/// the runtime directory. A program that uses the link, or waits for it, holds the first lock shared. The
/// last one to leave takes it exclusively and closes the link, so a link stays for programs that wait. The
/// second lock is the turn to open the link: the programs that wait for it find an open link.
///
/// The file contains the number of the link that a program of this library opened, or 0 if there is none, or
/// the link must stay. The number counts only while a program holds the lock, so a crash leaves nothing wrong
/// behind.
///
/// If no file can be created or locked, the lock behaves as if no other program held it. Programs of other
/// users, and of other machines on the same bus, use another directory, and are not counted.
final class LinkLock {
  /// The state of a link when a program begins to use it.
  enum Entry: Sendable, Hashable {
    case alone
    /// Others use it; `isOurs` is whether one of them opened it, so that the last one closes it.
    case shared(isOurs: Bool)
    /// A program is closing the link now: try again.
    case busy
  }

  /// The state of a link when a program stops using it.
  enum Exit: Sendable, Hashable {
    case others
    /// No other program uses it; the lock is held exclusively until ``unlock()``.
    case last(isOurs: Bool)
  }

  /// The locked byte of the file.
  private enum Range: off_t {
    case users
    case opener
  }

  private let path: String?
  private var descriptor: Int32 = -1
  private var wasOpenedWithoutFile = false
  /// The last number seen of the link; 0 when it is not ours.
  private var link: UInt64 = 0

  /// Linux's open file description locks, which Swift's Glibc does not declare.
  private static let getLock: Int32 = 36
  private static let setLock: Int32 = 37

  /// Each instance of a bus has a unique identifier; without a directory, the lock has no file.
  init(bus: String, device: String, directory: String? = LinkLock.directory) {
    let name = device.split(separator: "/").suffix(2).joined(separator: "-")
    // The identifier comes from the bus: only its hexadecimal digits may become part of a path.
    let identifier = String(bus.filter { $0.isHexDigit }.prefix(64))
    path = directory.map { "\($0)/link-\(identifier)-\(name)" }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  // MARK: Users

  /// Begins to use the link, or to wait for it.
  func enter() -> Entry {
    if descriptor >= 0 { return .alone }
    while open() {
      if lock(F_WRLCK) {
        guard !isStale else { continue }
        mark(isOurs: false)
        _ = lock(F_RDLCK)
        return .alone
      }
      guard errno == EAGAIN || errno == EACCES else { break }  // a file system without locks
      if lock(F_RDLCK) {
        if isStale { continue }
        look()
        return .shared(isOurs: link != 0)
      }
      drop()
      return .busy
    }
    drop()
    return .alone
  }

  /// True if this program uses the link, or waits for it.
  var isEntered: Bool { descriptor >= 0 || wasOpenedWithoutFile }

  /// True if other programs of this library use the link, or wait for it.
  var hasOtherUsers: Bool {
    guard descriptor >= 0 else { return false }
    var request = LinkLock.request(F_WRLCK, .users)
    return fcntl(descriptor, LinkLock.getLock, &request) == 0 && request.l_type != Int16(F_UNLCK)
  }

  func leave() -> Exit {
    guard descriptor >= 0 else {
      defer { wasOpenedWithoutFile = false }
      return .last(isOurs: wasOpenedWithoutFile)
    }
    if !lock(F_WRLCK) {
      // Released before the next attempt, so that one of several that leave at once finds itself alone.
      _ = lock(F_UNLCK)
      guard lock(F_WRLCK), !isStale else {
        drop()
        return .others
      }
    }
    look()
    return .last(isOurs: link != 0)
  }

  func unlock() {
    guard descriptor >= 0 else { return }
    if let path { unlink(path) }
    drop()
  }

  /// Remains a user after all, since the link could not be closed: the last user must do so.
  func stay() {
    if descriptor >= 0 { _ = lock(F_RDLCK) }
    mark(isOurs: true)
  }

  /// Stops using a link that need not be closed: it ended, or was never opened.
  func abandon() {
    if case .last = leave() { unlock() }
  }

  private func drop() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
    wasOpenedWithoutFile = false
    link = 0
  }

  // MARK: The link

  /// Takes the turn to open the link; returns false while another program has it.
  func beginOpening() -> Bool { descriptor < 0 || lock(F_WRLCK, .opener) }

  func endOpening() { if descriptor >= 0 { _ = lock(F_UNLCK, .opener) } }

  /// Records whether the last user must close the link.
  func mark(isOurs: Bool) {
    if descriptor < 0 {
      wasOpenedWithoutFile = isOurs
    } else {
      link = isOurs ? .random(in: 1...(.max)) : 0
      write(link)
    }
  }

  /// Reads the number of the current link.
  func look() { if descriptor >= 0 { link = read() } }

  /// Records the end of the link that the last look found; a link opened meanwhile has another number, and
  /// stays ours.
  func linkEnded() {
    if descriptor >= 0, link != 0, read() == link { write(0) }
    link = 0
  }

  // MARK: The file

  private func open() -> Bool {
    guard let path else { return false }
    drop()
    descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    return descriptor >= 0
  }

  /// True if its last user removed the file after it was opened here.
  private var isStale: Bool {
    var status = stat()
    return fstat(descriptor, &status) != 0 || status.st_nlink == 0
  }

  private func lock(_ kind: Int32, _ range: Range = .users) -> Bool {
    var request = LinkLock.request(kind, range)
    return fcntl(descriptor, LinkLock.setLock, &request) == 0
  }

  private static func request(_ kind: Int32, _ range: Range) -> flock {
    var request = flock()
    request.l_type = Int16(kind)
    request.l_whence = Int16(SEEK_SET)
    request.l_start = range.rawValue
    request.l_len = 1
    return request
  }

  private func read() -> UInt64 {
    var number: UInt64 = 0
    return pread(descriptor, &number, MemoryLayout<UInt64>.size, 0) == MemoryLayout<UInt64>.size ? number : 0
  }

  private func write(_ number: UInt64) {
    var number = number
    _ = pwrite(descriptor, &number, MemoryLayout<UInt64>.size, 0)
  }

  // MARK: The directory

  /// The first usable directory of ``directories(of:runtime:)``; nil if there is none.
  static let directory: String? = {
    let user = geteuid()
    let runtime = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) }
    return directories(of: user, runtime: runtime).first { isUsable($0, by: user) }
  }()

  /// The directories of a user's programs; those of timers and services lack the variable of a session.
  static func directories(of user: uid_t, runtime: String?) -> [String] {
    if user == 0 { return ["/run/blectl", "/tmp/blectl-0"] }
    // If sudo kept the variable, it names another user's directory.
    let runtimes = [runtime ?? "", "/run/user/\(user)"].filter { $0.hasPrefix("/") && isOwned($0, by: user) }
    return runtimes.map { "\($0)/blectl" } + ["/tmp/blectl-\(user)"]
  }

  private static func isUsable(_ path: String, by user: uid_t) -> Bool {
    mkdir(path, 0o700)
    return isOwned(path, by: user)
  }

  /// Returns whether a directory belongs to the user alone: other users could watch or replace its contents.
  private static func isOwned(_ path: String, by user: uid_t) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == user
      && status.st_mode & 0o022 == 0
  }
}
