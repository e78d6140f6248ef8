// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BlectlArguments
package import Glibc

/// A file with secrets, which only its owner may read.
package struct PrivateFile: Sendable, Hashable {
  private let path: String
  /// The contents of the file: `the keys`.
  private let what: String

  private static let others: mode_t = S_IRWXG | S_IRWXO

  package init(_ path: String, of what: String) { (self.path, self.what) = (path, what) }

  /// Reads it; returns nil if there is no file.
  ///
  /// - Throws: ``CommandError`` with status usage if others may read the file, or if it is too long.
  package func read(atMost longest: Int) throws(CommandError) -> [UInt8]? {
    // A pipe would block.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      let number = errno
      // The folder may belong to another user, whose home a service was given: then there are no keys.
      if [ENOENT, ENOTDIR].contains(number) || number == EACCES && access(folder, X_OK) != 0 { return nil }
      throw failure(String(cString: strerror(number)))
    }
    defer { close(descriptor) }
    // Of the opened file: its name may mean another one by now.
    try check(descriptor)
    switch WholeFile.read(descriptor, atMost: longest, check: { _ throws(Never) in }) {
    case .success(let bytes): return bytes
    case .failure(.system(let number)): throw failure(String(cString: strerror(number)))
    case .failure(.tooLong): throw failure("it is larger than \(Self.size(longest))")
    }
  }

  private func check(_ descriptor: Int32) throws(CommandError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure(String(cString: strerror(errno))) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw failure("it is not a file") }
    let own = [geteuid(), Self.caller].compactMap(\.self)
    guard own.contains(status.st_uid) else {
      throw failure(
        "it belongs to another user (\(status.st_uid))",
        hint: "sudo chown \(own[0]) \(ShellWord.quoted(path))")
    }
    guard status.st_mode & Self.others == 0 else {
      let mode = String(status.st_mode & 0o777, radix: 8)
      throw failure(
        "others can read or change it (mode \(mode))", hint: "chmod 600 \(ShellWord.quoted(path))")
    }
  }

  /// The user who has become root with sudo; nil for others.
  package static var caller: uid_t? {
    guard geteuid() == 0, let text = getenv("SUDO_UID") else { return nil }
    return uid_t(String(cString: text))
  }

  private func failure(_ reason: String, hint: String? = nil) -> CommandError {
    .usage("cannot use \(what) in \(path): \(reason)", hint: hint)
  }

  private var folder: String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func size(_ bytes: Int) -> String {
    bytes >= 1 << 20 ? "\(bytes >> 20) MiB" : "\(bytes >> 10) KiB"
  }
}
