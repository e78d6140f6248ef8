// SPDX-License-Identifier: MIT
internal import Glibc
internal import TestSupport
internal import Testing

/// A folder in which `blectl` is a command, for command lines as people type them; it is gone after the test.
struct ToolFolder: Sendable {
  let path: String

  /// Runs a test in a new one.
  static func with<Result>(_ body: (ToolFolder) async throws -> Result) async throws -> Result {
    var template = Array("/tmp/blectl-test-XXXXXX".utf8CString)
    let folder = ToolFolder(path: String(cString: try #require(mkdtemp(&template))))
    let tool = try #require(realpath(Blectl.path, nil))
    defer { free(tool) }
    try #require(symlink(tool, folder.path + "/blectl") == 0)
    let result = try await body(folder)
    _ = try await ToolRun("/bin/rm", ["-rf", folder.path]).result()
    return result
  }

  /// Makes a file in it.
  func write(_ text: String, to name: String) throws {
    let file = try #require(fopen("\(path)/\(name)", "w"))
    fputs(text, file)
    fclose(file)
  }

  /// Starts a command line in a shell.
  func start(_ line: String, environment: [String: String] = [:]) throws -> ToolRun {
    var variables: [String: String?] = [
      "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent", "BLECTL_ADAPTER": nil, "NO_COLOR": nil,
      "CLICOLOR_FORCE": nil, "LC_ALL": "C",
    ]
    for (name, value) in environment { variables[name] = value }
    return try ToolRun(
      "/bin/bash", ["-c", "cd \(path) && PATH=\(path):$PATH && \(line)"], environment: variables,
      limit: .seconds(180))
  }

  /// Runs a command line in a shell to its end.
  func run(_ line: String) async throws -> ToolResult { try await start(line).result() }
}
