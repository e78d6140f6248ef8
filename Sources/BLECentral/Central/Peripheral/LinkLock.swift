// SPDX-License-Identifier: MIT
internal import Glibc

/// Counts the users of the link to one device among the programs of this library, with a lock on a file in the runtime
/// directory.
///
/// BlueZ counts no users: the first `Disconnect` ends a link for all of them. Each user holds the lock shared, and the
/// last one to leave takes it exclusively and closes the link. The file holds one character: `1` when a program of this
/// library opened the link and none wants it to stay. The character counts only while a program holds the lock, so a
/// crash leaves nothing locked and nothing wrong behind.
///
/// Where no file can be created, the lock behaves as if no other program held it. Programs of other users have another
/// directory, and are not counted.
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

  private let path: String?
  private var descriptor: Int32 = -1
  private var wasOpenedWithoutFile = false

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

  /// Begins to use the link.
  func enter() -> Entry {
    if descriptor >= 0 { return .alone }
    while open() {
      if lock(F_WRLCK) {
        guard !isStale else { continue }
        write(isOurs: false)
        _ = lock(F_RDLCK)
        return .alone
      }
      if lock(F_RDLCK) {
        if isStale { continue }
        return .shared(isOurs: isOurs)
      }
      drop()
      return .busy
    }
    wasOpenedWithoutFile = false
    return .alone
  }

  /// Notes whether the last user has to close the link.
  func mark(isOurs: Bool) {
    if descriptor < 0 { wasOpenedWithoutFile = isOurs } else { write(isOurs: isOurs) }
  }

  /// Stops using the link.
  func leave() -> Exit {
    guard descriptor >= 0 else {
      defer { wasOpenedWithoutFile = false }
      return .last(isOurs: wasOpenedWithoutFile)
    }
    // Released before it is taken exclusively: of several who leave at once, one finds itself alone.
    _ = lock(F_UNLCK)
    guard lock(F_WRLCK), !isStale else {
      drop()
      return .others
    }
    return .last(isOurs: isOurs)
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

  private func lock(_ kind: Int32) -> Bool {
    var request = flock()
    request.l_type = Int16(kind)
    request.l_whence = Int16(SEEK_SET)
    return fcntl(descriptor, LinkLock.setLock, &request) == 0
  }

  private var isOurs: Bool {
    var byte: UInt8 = 0
    return pread(descriptor, &byte, 1, 0) == 1 && byte == UInt8(ascii: "1")
  }

  private func write(isOurs: Bool) {
    var byte = UInt8(ascii: isOurs ? "1" : "0")
    _ = pwrite(descriptor, &byte, 1, 0)
  }

  // MARK: The directory

  /// `$XDG_RUNTIME_DIR/blectl`, else `/run/blectl` for root and `/tmp/blectl-UID` for others; nil when none can be used.
  static let directory: String? = {
    let user = geteuid()
    let runtime = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) } ?? ""
    let path =
      runtime.hasPrefix("/") ? "\(runtime)/blectl" : user == 0 ? "/run/blectl" : "/tmp/blectl-\(user)"
    mkdir(path, 0o700)
    var status = stat()
    // Another user who made it first could watch, or replace, what is in it.
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == user,
      status.st_mode & 0o022 == 0
    else { return nil }
    return path
  }()
}
