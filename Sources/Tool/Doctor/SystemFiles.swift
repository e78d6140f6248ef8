// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc

/// Files that describe this machine, read without blocking and up to a limit; tests use another root.
struct SystemFiles: Sendable {
  /// The prefix of every path; empty for the machine itself.
  var root = ""

  /// Returns the text of a file; nil if it cannot be read.
  func text(_ path: String) -> String? { WholeFile.text(root + path, flags: O_NONBLOCK) }

  /// Returns the first line of a file, without the newline.
  func line(_ path: String) -> String? {
    text(path).map { String($0.prefix { $0 != "\n" }) }
  }

  func exists(_ path: String) -> Bool { access(root + path, F_OK) == 0 }

  /// Returns the target of a symbolic link.
  func link(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(root + path, &buffer, buffer.count)
    guard count > 0 else { return nil }
    return buffer.withUnsafeBytes { String(decoding: $0.prefix(count), as: UTF8.self) }
  }

  /// Returns the names in a directory, sorted; nil if it cannot be listed.
  func names(in path: String) -> [String]? {
    try? Folder.names(in: root + path)
  }
}
