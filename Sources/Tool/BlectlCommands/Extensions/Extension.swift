// SPDX-License-Identifier: MIT
internal import BlectlArguments
internal import Glibc

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
