// SPDX-License-Identifier: MIT
internal import Glibc

/// A listening Unix stream socket with a path, which only our user can access.
package struct UnixListener: ~Copyable {
  package let path: String
  private let file: OwnedDescriptor
  /// Identifies the file: another one at the same path must stay.
  private let identity: (device: dev_t, inode: ino_t)

  package var descriptor: Int32 { file.raw }

  /// Takes the place of a socket that no process listens on: a process that was killed leaves its file.
  ///
  /// - Throws: ``SocketError`` if the path exists otherwise, or the socket cannot be created.
  package init(_ path: String) throws(SocketError) {
    var address = sockaddr_un()
    let capacity = MemoryLayout.size(ofValue: address.sun_path) - 1
    guard !path.isEmpty, path.utf8.count <= capacity, !path.utf8.contains(0) else {
      throw SocketError("the path of a socket must have 1 to \(capacity) bytes")
    }
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let file = OwnedDescriptor(adopting: Glibc.socket(AF_UNIX, ListeningStream.kind, 0))
    // bind() creates the file with the mode of the socket.
    guard file.raw >= 0, fchmod(file.raw, 0o600) == 0 else { throw SocketError(errno) }
    var status = UnixListener.call(bind, file.raw, &address)
    if status != 0, errno == EADDRINUSE, UnixListener.isAbandoned(path, &address) {
      unlink(path)
      status = UnixListener.call(bind, file.raw, &address)
    }
    if status != 0, errno == EADDRINUSE {
      throw SocketError("there is a file already: remove it first")
    }
    guard status == 0 else { throw SocketError(errno) }
    var found = stat()
    guard listen(file.raw, ListeningStream.backlog) == 0, lstat(path, &found) == 0 else {
      let reason = SocketError(errno)
      unlink(path)
      throw reason
    }
    self.path = path
    identity = (found.st_dev, found.st_ino)
    self.file = file
  }

  private static func call(
    _ function: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32, _ descriptor: Int32,
    _ address: inout sockaddr_un
  ) -> Int32 {
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// Returns whether the file is a socket whose process has ended.
  private static func isAbandoned(_ path: String, _ address: inout sockaddr_un) -> Bool {
    var found = stat()
    guard lstat(path, &found) == 0, found.st_mode & S_IFMT == S_IFSOCK else { return false }
    let probe = OwnedDescriptor(adopting: Glibc.socket(AF_UNIX, ListeningStream.kind, 0))
    guard probe.raw >= 0 else { return false }
    return call(connect, probe.raw, &address) != 0 && errno == ECONNREFUSED
  }

  /// Returns the next client, which does not block, or nil if none is waiting.
  package func accept() -> OwnedDescriptor? { ListeningStream.accept(file.raw) }

  /// Removes the file if it is still ours.
  package func remove() {
    var found = stat()
    guard lstat(path, &found) == 0, found.st_dev == identity.device, found.st_ino == identity.inode else {
      return
    }
    unlink(path)
  }
}
