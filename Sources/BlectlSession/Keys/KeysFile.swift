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
    return stat(path, &status) == 0 ? status.st_uid : PrivateFile.caller
  }
}
