// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlectlArguments
internal import Glibc

/// A socket that accepts programs.
final class ListeningSocket {
  private enum Listener: ~Copyable {
    case tcp(OwnedDescriptor)
    case unix(UnixListener)
  }

  private let listener: Listener
  /// The address for programs: `127.0.0.1:7777`, or a path.
  let place: String

  var descriptor: Int32 {
    switch listener {
    case .tcp(let descriptor): descriptor.raw
    case .unix(let listener): listener.descriptor
    }
  }

  /// - Throws: ``CommandError`` if the address is taken, or is not one.
  init(_ address: ServerAddress) throws(CommandError) {
    do throws(SocketError) {
      switch address {
      case .tcp(let host, let port):
        let descriptor = try Self.tcp(host, port)
        // The system chooses a port if 0 was wanted.
        place = ServerAddress.text(host, SocketPort.local(of: descriptor.raw) ?? port)
        listener = .tcp(descriptor)
      case .unix(let path):
        listener = .unix(try UnixListener(path))
        place = path
      }
    } catch {
      let place =
        switch address {
        case .tcp(let host, let port): "\(host):\(port)"
        case .unix(let path): path
        }
      throw CommandError(status: .failed, message: "cannot listen on \(place): \(error)")
    }
  }

  /// Returns the next program, which does not block, or nil if none is waiting.
  func accept() -> OwnedDescriptor? { ListeningStream.accept(descriptor) }

  /// Removes the file of a Unix socket, if it is still ours.
  func remove() {
    switch listener {
    case .tcp: break
    case .unix(let listener): listener.remove()
    }
  }

  // MARK: TCP

  private static func tcp(_ host: String, _ port: UInt16) throws(SocketError) -> OwnedDescriptor {
    var hints = addrinfo()
    (hints.ai_socktype, hints.ai_flags) = (Int32(SOCK_STREAM.rawValue), AI_PASSIVE | AI_NUMERICSERV)
    var found: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, "\(port)", &hints, &found)
    guard status == 0, let first = found else { throw SocketError(String(cString: gai_strerror(status))) }
    defer { freeaddrinfo(found) }
    let descriptor = OwnedDescriptor(
      adopting: socket(first.pointee.ai_family, ListeningStream.kind, 0))
    guard descriptor.raw >= 0 else { throw SocketError(errno) }
    var one: Int32 = 1
    setsockopt(descriptor.raw, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
    guard bind(descriptor.raw, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0,
      listen(descriptor.raw, ListeningStream.backlog) == 0
    else { throw SocketError(errno) }
    return descriptor
  }
}
