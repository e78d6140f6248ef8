// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlectlArguments
internal import Glibc

/// The folders of PATH in which extensions are looked for.
///
/// Only absolute ones: a mistyped command must not run a file of the folder in which it was typed.
struct ExtensionFolders {
  /// Names the running blectl to extensions.
  static let variable = "BLECTL"

  private static let prefix = "blectl-"
  /// Not of the form of an extension, so that it is not taken for one.
  private static let completionPrefix = "blectl_complete-"
  /// Programs of blectl itself whose names begin in the same way.
  private static let ownPrograms: Set<String> = ["web"]

  private let folders: [String]
  /// The names and aliases of the commands of blectl.
  private let commands: [String]

  init(path: String?, without commands: [String]) {
    self.commands = commands
    folders = (path ?? "").split(separator: ":").filter { $0.hasPrefix("/") }.map(String.init)
  }

  /// Returns whether a word can be the name of an extension; it becomes a part of a path.
  private func isName(_ word: String) -> Bool {
    guard let first = word.utf8.first, first != UInt8(ascii: "-"), first != UInt8(ascii: "."),
      !Self.ownPrograms.contains(word), !commands.contains(word)
    else { return false }
    return word.utf8.allSatisfy { byte in
      (0x61...0x7a).contains(byte | 0x20) || (0x30...0x39).contains(byte) || "-_.".utf8.contains(byte)
    }
  }

  /// The first extension with a name.
  func find(_ name: String) -> Extension? {
    guard isName(name) else { return nil }
    return program(Self.prefix + name).map { Extension(name: name, path: $0) }
  }

  /// The program that completes the words of an extension.
  func completer(of name: String) -> String? {
    isName(name) ? program(Self.completionPrefix + name) : nil
  }

  /// A file that would be an extension if it were executable.
  func unusable(_ name: String) -> String? {
    guard isName(name) else { return nil }
    return folders.lazy.map { "\($0)/\(Self.prefix)\(name)" }.first { isFile($0) }
  }

  /// All that can be run, by name.
  func all() -> [Extension] {
    var found: [String: Extension] = [:]
    for folder in folders {
      for file in (try? Folder.names(in: folder)) ?? [] where file.hasPrefix(Self.prefix) {
        let (name, path) = (String(file.dropFirst(Self.prefix.count)), "\(folder)/\(file)")
        guard found[name] == nil, isName(name), isProgram(path) else { continue }
        found[name] = Extension(name: name, path: path)
      }
    }
    return found.values.sorted { $0.name < $1.name }
  }

  private func program(_ file: String) -> String? {
    folders.lazy.map { "\($0)/\(file)" }.first { isProgram($0) }
  }

  private func isProgram(_ path: String) -> Bool { access(path, X_OK) == 0 && isFile(path) }

  private func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}

/// A program `blectl-NAME` in PATH, which runs as `blectl NAME`.
struct Extension: Hashable {
  let name: String
  let path: String

  /// Replaces this process by the program, so that signals and the exit status are its own.
  ///
  /// - Throws: if it cannot be started.
  func take(_ words: [String]) throws(CommandError) -> Never {
    setenv(ExtensionFolders.variable, ProgramPath.own, 1)
    var arguments = ([path] + words).map { strdup($0) }
    arguments.append(nil)
    execv(path, arguments)
    let reason = errno
    throw CommandError(
      status: .failed, message: "cannot run '\(name)': \(path): \(String(cString: strerror(reason)))",
      hint: reason == ENOEXEC ? "begin \(path) with a line such as #!/bin/sh" : nil)
  }
}
