// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc

/// A listening Unix stream socket with a path, which only our user can access.
struct ControlSocket: ~Copyable {
  private let path: String
  private let file: OwnedDescriptor
  /// Identifies the file: another one at the same path must stay.
  private let identity: (device: dev_t, inode: ino_t)

  var descriptor: Int32 { file.raw }

  /// - Throws: ``ControlSocketError`` if the path exists, or the socket cannot be created.
  init(_ path: String) throws(ControlSocketError) {
    var address = sockaddr_un()
    let capacity = MemoryLayout.size(ofValue: address.sun_path) - 1
    guard !path.isEmpty, path.utf8.count <= capacity, !path.utf8.contains(0) else {
      throw ControlSocketError("the path of a socket must have 1 to \(capacity) bytes")
    }
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let file = OwnedDescriptor(adopting: Glibc.socket(AF_UNIX, kind, 0))
    // bind() creates the file with the mode of the socket.
    guard file.raw >= 0, fchmod(file.raw, 0o600) == 0 else { throw ControlSocketError(errno) }
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(file.raw, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    if status != 0, errno == EADDRINUSE {
      throw ControlSocketError("there is a file already: remove it first")
    }
    guard status == 0 else { throw ControlSocketError(errno) }
    var found = stat()
    guard listen(file.raw, 16) == 0, lstat(path, &found) == 0 else {
      let reason = ControlSocketError(errno)
      unlink(path)
      throw reason
    }
    self.path = path
    identity = (found.st_dev, found.st_ino)
    self.file = file
  }

  /// Returns the next client, or nil if none is waiting.
  func accept() -> Int32? {
    let client = Glibc.accept(file.raw, nil, nil)
    guard client >= 0 else { return nil }
    _ = fcntl(client, F_SETFD, FD_CLOEXEC)
    _ = fcntl(client, F_SETFL, O_NONBLOCK)
    return client
  }

  /// Removes the file if it is still ours.
  func remove() {
    var found = stat()
    guard lstat(path, &found) == 0, found.st_dev == identity.device, found.st_ino == identity.inode else {
      return
    }
    unlink(path)
  }
}

/// Why the control socket cannot be created.
package struct ControlSocketError: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }

  init(_ number: Int32) { description = String(cString: strerror(number)) }
}
