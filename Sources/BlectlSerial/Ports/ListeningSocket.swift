// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BlectlArguments
internal import Glibc

/// Where a server waits for programs.
package enum ServerAddress: Sendable, Hashable {
  case tcp(host: String, port: UInt16)
  case unix(String)

  /// Parses `7777`, `localhost:7777`, `0.0.0.0:7777` or `[::1]:7777`; without a host, this machine only.
  package init(parsingTCP text: String) throws(ArgumentError) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard let last = parts.last, last.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(last)
    else {
      throw ArgumentError(text, "is not an address to listen on; use PORT or HOST:PORT")
    }
    var host = parts.dropLast().joined(separator: ":")
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = String(host.dropFirst().dropLast())
    } else if parts.count > 2 {
      throw ArgumentError(
        text, "is not an address to listen on; an IPv6 address is in brackets: [::1]:\(port)")
    }
    if parts.count > 1, host.isEmpty {
      throw ArgumentError(text, "has no host; use \(port), or 0.0.0.0:\(port) for every network")
    }
    self = .tcp(host: parts.count == 1 ? "127.0.0.1" : host, port: port)
  }
}

/// A socket that accepts programs.
final class ListeningSocket {
  let descriptor: Int32
  /// Where programs find it: `127.0.0.1:7777`, or a path.
  let place: String
  /// The file of a Unix socket; another one at the same path stays.
  private let file: (path: String, device: dev_t, inode: ino_t)?

  /// - Throws: ``CommandError`` if the address is taken, or is not one.
  init(_ address: ServerAddress) throws(CommandError) {
    do throws(Failure) {
      switch address {
      case .tcp(let host, let port):
        (descriptor, place) = try Self.tcp(host, port)
        file = nil
      case .unix(let path):
        let (descriptor, found) = try Self.unix(path)
        (self.descriptor, place, file) = (descriptor, path, (path, found.st_dev, found.st_ino))
      }
    } catch {
      let place = if case .tcp(let host, let port) = address { "\(host):\(port)" } else { "a socket" }
      throw CommandError(status: .failed, message: "cannot listen on \(place): \(error.reason)")
    }
  }

  deinit { close(descriptor) }

  /// Returns the next program, which does not block, or nil if none is waiting.
  func accept() -> OwnedDescriptor? {
    let client = Glibc.accept(descriptor, nil, nil)
    guard client >= 0 else { return nil }
    _ = fcntl(client, F_SETFD, FD_CLOEXEC)
    _ = fcntl(client, F_SETFL, O_NONBLOCK)
    return OwnedDescriptor(adopting: client)
  }

  /// Removes the file of a Unix socket, if it is still ours.
  func remove() {
    guard let file else { return }
    var found = stat()
    if lstat(file.path, &found) == 0, found.st_dev == file.device, found.st_ino == file.inode {
      unlink(file.path)
    }
  }

  // MARK: Opening

  private struct Failure: Error {
    let reason: String
    init(_ reason: String = String(cString: strerror(errno))) { self.reason = reason }
  }

  private static let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)

  private static func tcp(_ host: String, _ port: UInt16) throws(Failure) -> (Int32, String) {
    var hints = addrinfo()
    (hints.ai_socktype, hints.ai_flags) = (Int32(SOCK_STREAM.rawValue), AI_PASSIVE | AI_NUMERICSERV)
    var found: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, "\(port)", &hints, &found)
    guard status == 0, let first = found else { throw Failure(String(cString: gai_strerror(status))) }
    defer { freeaddrinfo(found) }
    let descriptor = socket(first.pointee.ai_family, kind, 0)
    guard descriptor >= 0 else { throw Failure() }
    var one: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
    guard bind(descriptor, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0, listen(descriptor, 16) == 0
    else {
      let failure = Failure()
      close(descriptor)
      throw failure
    }
    return (descriptor, "\(host.contains(":") ? "[\(host)]" : host):\(self.port(of: descriptor))")
  }

  /// The port, which the system chooses if 0 was wanted.
  private static func port(of descriptor: Int32) -> UInt16 {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutableBytes(of: &address) { bytes in
      guard let start = bytes.baseAddress else { return 0 }
      getsockname(descriptor, start.assumingMemoryBound(to: sockaddr.self), &length)
      // The same place in both families.
      return UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    }
  }

  private static func unix(_ path: String) throws(Failure) -> (Int32, stat) {
    var address = sockaddr_un()
    let capacity = MemoryLayout.size(ofValue: address.sun_path) - 1
    guard !path.isEmpty, path.utf8.count <= capacity, !path.utf8.contains(0) else {
      throw Failure("the path of a socket must have 1 to \(capacity) bytes")
    }
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let descriptor = socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { throw Failure() }
    // bind() creates the file with the mode of the socket: for our user only.
    _ = fchmod(descriptor, 0o600)
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    var found = stat()
    guard status == 0, listen(descriptor, 16) == 0, lstat(path, &found) == 0 else {
      let failure = errno == EADDRINUSE ? Failure("there is a file already: remove it first") : Failure()
      close(descriptor)
      throw failure
    }
    return (descriptor, found)
  }
}
