// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc

/// A temporary directory that only our user can enter, locked while this process lives.
final class PrivateDirectory: Sendable {
  static let prefix = "blectl-bus-"

  static var parent: String {
    getenv("TMPDIR").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
  }

  let path: String
  /// Holds the lock, which the kernel releases when the process ends.
  private let descriptor: OwnedDescriptor

  private init(path: String, descriptor: consuming OwnedDescriptor) {
    self.path = path
    self.descriptor = descriptor
  }

  static func make(in parent: String = parent) throws(SimulatorError) -> PrivateDirectory {
    var template = Array("\(parent)/\(prefix)XXXXXX".utf8CString)
    guard let path = mkdtemp(&template).map({ String(cString: $0) }) else {
      throw .busDaemonFailed("no directory in \(parent): \(String(cString: strerror(errno)))")
    }
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw .busDaemonFailed("\(path): \(String(cString: strerror(errno)))")
    }
    return PrivateDirectory(path: path, descriptor: OwnedDescriptor(adopting: descriptor))
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  func write(_ text: String, to name: String) throws(SimulatorError) {
    let descriptor = open(file(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw .busDaemonFailed("\(file(name)): \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
      throw .busDaemonFailed("\(file(name)): \(String(cString: strerror(errno)))")
    }
  }

  /// The first 4 KiB of a file; empty when it cannot be read.
  func read(_ name: String) -> String {
    String(decoding: ((try? WholeFile.read(file(name), atMost: 1 << 20)) ?? []).prefix(4096), as: UTF8.self)
  }

  func remove(files: [String]) {
    for name in files { unlink(file(name)) }
    rmdir(path)
  }
}
