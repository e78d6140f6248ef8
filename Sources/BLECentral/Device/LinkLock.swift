// SPDX-License-Identifier: MIT
internal import Glibc

/// Counts the users of the link to one device among the programs of this library, and lets one of them at a time open it,
/// with locks on a file in the runtime directory.
///
/// BlueZ counts no users: the first `Disconnect` ends a link for all of them. Who uses the link, or waits for it, holds the
/// first lock shared. The last one to leave takes it exclusively and closes the link, so that a link stays for those who
/// wait. The second lock is the turn to open the link: others find it open behind it.
///
/// The file holds the number of the link that a program of this library opened, or 0 when there is none, or it has to
/// stay. The number counts only while a program holds the lock, so a crash leaves nothing locked and nothing wrong behind.
///
/// Where no file can be created or locked, the lock behaves as if no other program held it. Programs of other users, and of
/// other machines that use the same bus, have another directory, and are not counted.
final class LinkLock {
  /// The state of a link that a program begins to use.
  enum Entry: Sendable, Hashable {
    /// No other program of this library uses the link.
    case alone
    /// Others use it; `isOurs` is whether one of them opened it, so that the last one closes it.
    case shared(isOurs: Bool)
    /// A program is closing the link at this moment: try again.
    case busy
  }

  /// The state of a link that a program has stopped using.
  enum Exit: Sendable, Hashable {
    /// Others still use it.
    case others
    /// No other program uses it. The lock is held exclusively until ``unlock()``.
    case last(isOurs: Bool)
  }

  /// What is locked: a byte of the file.
  private enum Range: off_t {
    case users
    case opener
  }

  private let path: String?
  private var descriptor: Int32 = -1
  private var wasOpenedWithoutFile = false
  /// The number of the link as it was last seen; 0 when it is not ours.
  private var link: UInt64 = 0

  /// The open file description locks of Linux, which Swift's Glibc does not declare.
  private static let setLock: Int32 = 37

  /// - Parameters:
  ///   - bus: the identifier of the bus, which is unique to each instance of it.
  ///   - device: BlueZ's path of the device.
  ///   - directory: where the files are; nil makes a lock without a file.
  init(bus: String, device: String, directory: String? = LinkLock.directory) {
    let name = device.split(separator: "/").suffix(2).joined(separator: "-")
    // The identifier comes from the bus: only digits of it can become part of a path.
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

  /// Stops using the link.
  func leave() -> Exit {
    guard descriptor >= 0 else {
      defer { wasOpenedWithoutFile = false }
      return .last(isOurs: wasOpenedWithoutFile)
    }
    if !lock(F_WRLCK) {
      // Released before the next try: of several who leave at once, one finds itself alone.
      _ = lock(F_UNLCK)
      guard lock(F_WRLCK), !isStale else {
        drop()
        return .others
      }
    }
    look()
    return .last(isOurs: link != 0)
  }

  /// Ends what ``leave()`` began.
  func unlock() {
    guard descriptor >= 0 else { return }
    if let path { unlink(path) }
    drop()
  }

  /// Stops using a link that need not be closed: it has ended, or was never made.
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

  /// Takes the turn to open the link.
  ///
  /// - Returns: false while another program has it.
  func beginOpening() -> Bool { descriptor < 0 || lock(F_WRLCK, .opener) }

  /// Gives it back.
  func endOpening() { if descriptor >= 0 { _ = lock(F_UNLCK, .opener) } }

  /// Notes whether the last user has to close the link.
  func mark(isOurs: Bool) {
    if descriptor < 0 {
      wasOpenedWithoutFile = isOurs
    } else {
      link = isOurs ? .random(in: 1...(.max)) : 0
      write(link)
    }
  }

  /// Looks at which link there is.
  func look() { if descriptor >= 0 { link = read() } }

  /// Notes that the link has ended that was there at the last look: the next one may be another program's.
  ///
  /// A link that was opened meanwhile has another number, and stays ours.
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

  /// Whether the file was removed by its last user after it was opened here.
  private var isStale: Bool {
    var status = stat()
    return fstat(descriptor, &status) != 0 || status.st_nlink == 0
  }

  private func lock(_ kind: Int32, _ range: Range = .users) -> Bool {
    var request = flock()
    request.l_type = Int16(kind)
    request.l_whence = Int16(SEEK_SET)
    request.l_start = range.rawValue
    request.l_len = 1
    return fcntl(descriptor, LinkLock.setLock, &request) == 0
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

  /// The first of ``directories(of:runtime:)`` that can be used; nil when none can.
  static let directory: String? = {
    let user = geteuid()
    let runtime = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) }
    return directories(of: user, runtime: runtime).first { isUsable($0, by: user) }
  }()

  /// Where all programs of a user look: those of a session, and those of timers and services, which have no variable.
  static func directories(of user: uid_t, runtime: String?) -> [String] {
    if user == 0 { return ["/run/blectl", "/tmp/blectl-0"] }
    // A variable that sudo has kept names the directory of another user.
    let runtimes = [runtime ?? "", "/run/user/\(user)"].filter { $0.hasPrefix("/") && isOwned($0, by: user) }
    return runtimes.map { "\($0)/blectl" } + ["/tmp/blectl-\(user)"]
  }

  private static func isUsable(_ path: String, by user: uid_t) -> Bool {
    mkdir(path, 0o700)
    return isOwned(path, by: user)
  }

  /// Whether a directory belongs to the user alone: another one could watch, or replace, what is in it.
  private static func isOwned(_ path: String, by user: uid_t) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == user
      && status.st_mode & 0o022 == 0
  }
}
