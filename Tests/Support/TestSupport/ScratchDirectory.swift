// SPDX-License-Identifier: MIT
internal import Glibc

/// A directory that is removed with everything in it.
package final class ScratchDirectory {
  package struct CannotWrite: Error {}

  package let path: String

  package init() throws {
    var template = Array("/tmp/blectl-test-XXXXXX\0".utf8CString)
    guard let created = mkdtemp(&template) else { throw CannotWrite() }
    path = String(cString: created)
  }

  deinit {
    for name in names { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  /// The names of the files in it, sorted.
  package var names: [String] { names("") }

  /// The names of the files in a directory of it, sorted.
  package func names(_ subdirectory: String) -> [String] {
    guard let directory = opendir("\(path)/\(subdirectory)") else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  package func read(_ name: String) -> String { String(decoding: bytes(name), as: UTF8.self) }

  /// The contents of a file; nothing where there is none.
  package func bytes(_ name: String) -> [UInt8] {
    guard let file = fopen("\(path)/\(name)", "r") else { return [] }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return bytes
  }

  package func write(_ name: String, _ bytes: [UInt8]) throws {
    guard let file = fopen("\(path)/\(name)", "w") else { throw CannotWrite() }
    let count = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, count == bytes.count else { throw CannotWrite() }
  }
}
