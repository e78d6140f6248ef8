// SPDX-License-Identifier: MIT
internal import Glibc

/// Files of the repository that tests hold to what they should be.
package enum RecordedFile {
  /// Whether they are to be written anew: `BLECTL_RECORD=1`.
  package static var isRecording: Bool { getenv("BLECTL_RECORD") != nil }

  /// The text of a file; nil when it cannot be opened.
  package static func read(_ path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Writes a file anew.
  ///
  /// - Parameters:
  ///   - text: what it holds from now on.
  ///   - path: where it is.
  /// - Throws: ``ToolError`` when it cannot be written.
  package static func write(_ text: String, _ path: String) throws {
    guard let file = fopen(path, "w") else { throw ToolError.noFile(errno) }
    defer { fclose(file) }
    _ = text.withCString { fputs($0, file) }
  }
}
