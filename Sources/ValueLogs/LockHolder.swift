// SPDX-License-Identifier: MIT
internal import Glibc

/// Finds out who holds the lock of a file.
enum LockHolder {
  /// The process, as people know it: `blectl (process 4711)`.
  static func name(of descriptor: Int32) -> String {
    guard let status = LogFile.status(of: descriptor), let process = process(holding: status.st_ino) else {
      return "another process"
    }
    if process == getpid() { return "this command" }
    let name = text(of: "/proc/\(process)/comm").split(separator: "\n").first
    return "\(name.map(String.init) ?? "a process") (process \(process))"
  }

  /// Lines such as `1: FLOCK  ADVISORY  WRITE 4711 fe:01:1049121 0 EOF`.
  ///
  /// Only the number of the file is compared: some file systems name another device there than fstat does.
  private static func process(holding file: ino_t) -> pid_t? {
    for line in text(of: "/proc/locks").split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count >= 6, words[1] == "FLOCK", words[5].split(separator: ":").last == "\(file)" else {
        continue
      }
      return pid_t(words[4])
    }
    return nil
  }

  private static func text(of path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16384)
    while case let count = read(descriptor, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }
}
