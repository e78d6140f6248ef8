// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLEMeaning
package import BlectlArguments
internal import Glibc
internal import JSON
internal import ValueStreams

/// The file with the keys of a person's devices, which only its owner may read.
package struct KeysFile: Sendable, Hashable {
  package let path: String

  /// Far more than any keys, but refuses endless files.
  private static let longest = 1 << 20
  private static let others: mode_t = S_IRWXG | S_IRWXO

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
    switch WholeFile.read(descriptor, atMost: Self.longest, check: { _ throws(Never) in }) {
    case .success(let bytes): return bytes
    case .failure(.system(let number)): throw failure(String(cString: strerror(number)))
    case .failure(.tooLong): throw failure("it is larger than \(Self.longest >> 20) MiB")
    }
  }

  private func check(_ descriptor: Int32) throws(CommandError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure(String(cString: strerror(errno))) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw failure("it is not a file") }
    let own = [geteuid(), Self.caller].compactMap(\.self)
    guard own.contains(status.st_uid) else {
      throw failure("it belongs to another user (\(status.st_uid))", hint: "sudo chown \(own[0]) \(quoted)")
    }
    guard status.st_mode & Self.others == 0 else {
      let mode = String(status.st_mode & 0o777, radix: 8)
      throw failure("others can read or change it (mode \(mode))", hint: "chmod 600 \(quoted)")
    }
  }

  /// The user who has become root with sudo; nil for others.
  private static var caller: uid_t? {
    guard geteuid() == 0, let text = getenv("SUDO_UID") else { return nil }
    return uid_t(String(cString: text))
  }

  private func failure(_ reason: String, hint: String? = nil) -> CommandError {
    .usage("cannot use the keys in \(path): \(reason)", hint: hint)
  }

  private var folder: String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The path for a shell.
  private var quoted: String {
    let isPlain = path.utf8.allSatisfy { byte in
      let scalar = UnicodeScalar(byte)
      return scalar.properties.isAlphabetic && scalar.isASCII
        || "0123456789/._-".unicodeScalars.contains(scalar)
    }
    return isPlain ? path : "'\(path.replacing("'", with: "'\\''"))'"
  }

  // MARK: Writing

  /// Replaces the file at once, for its owner only; makes its folder if needed.
  ///
  /// The file of another user, which only root can replace, stays that user's.
  package func write(_ ring: KeyRing) throws(CommandError) {
    do throws(OutputError) {
      FileStatus.makeFolder(of: path)
      try AtomicFile(path: target).write(KeysDocument.text(of: ring), mode: 0o600, owner: owner)
    } catch {
      throw CommandError(status: .failed, message: "cannot write \(path): \(error)")
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
    return stat(path, &status) == 0 ? status.st_uid : Self.caller
  }
}
