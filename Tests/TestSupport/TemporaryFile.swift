// SPDX-License-Identifier: MIT
internal import Glibc

/// A file of a test, which is gone after it.
package struct TemporaryFile: Sendable {
  package let path: String

  /// Runs a test with a file that holds some bytes.
  package static func with<Result>(
    _ bytes: [UInt8], named name: String = "world.json", _ body: (TemporaryFile) async throws -> Result
  ) async throws -> Result {
    var template = Array("/tmp/blectl-test-XXXXXX".utf8CString)
    guard let folder = mkdtemp(&template).map({ String(cString: $0) }) else { throw ToolError.noFile(errno) }
    let file = TemporaryFile(path: "\(folder)/\(name)")
    defer {
      unlink(file.path)
      rmdir(folder)
    }
    let descriptor = open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw ToolError.noFile(errno) }
    let count = write(descriptor, bytes, bytes.count)
    close(descriptor)
    guard count == bytes.count else { throw ToolError.noFile(errno) }
    return try await body(file)
  }
}
