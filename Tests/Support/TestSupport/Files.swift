// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc

/// Files of the repository that tests hold to what they should be.
package enum RecordedFile {
  /// Whether they must be written again: `BLECTL_RECORD=1`.
  package static var isRecording: Bool { getenv("BLECTL_RECORD") != nil }

  /// The absolute path of a file, from its path in the repository.
  package static func path(_ relative: String) -> String {
    let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
    return root.joined(separator: "/") + "/" + relative
  }

  /// The text of a file; nil when it cannot be opened.
  package static func read(_ path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Writes a file again.
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

/// Texts with names that one file keeps: each stands below a line `==== NAME ====`, and ends with a newline.
package struct NamedTexts: Sendable {
  /// The path of the file.
  package let path: String

  /// Only one test at a time may write a file.
  private static let recording = Lock(false)

  /// - Parameters:
  ///   - name: the name of the file.
  ///   - source: a source file in the same folder.
  package init(_ name: String, beside source: String) {
    let folder = source.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    path = (folder + [Substring(name)]).joined(separator: "/")
  }

  /// All texts by their names; empty when the file cannot be opened.
  package func all() -> [String: String] {
    var texts: [String: String] = [:]
    var name: String?
    for line in (RecordedFile.read(path) ?? "").split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("==== "), line.hasSuffix(" ====") {
        name = String(line.dropFirst(5).dropLast(5))
        texts[name ?? ""] = ""
      } else if let name {
        texts[name, default: ""] += line + "\n"
      }
    }
    // The text after the last newline is not a line.
    if let name { texts[name]?.removeLast() }
    return texts
  }

  /// Replaces one text, or adds it; the file is sorted by name.
  ///
  /// - Throws: ``ToolError`` when the file cannot be written.
  package func record(_ text: String, as name: String) throws {
    try NamedTexts.recording.withLock { _ in
      var texts = all()
      texts[name] = text
      let sections = texts.sorted { $0.key < $1.key }.map { "==== \($0.key) ====\n\($0.value)" }
      try RecordedFile.write(sections.joined(), path)
    }
  }
}

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
