// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlectlArguments

/// A socket that accepts programs.
final class ListeningSocket {
  private enum Listener: ~Copyable {
    case tcp(TCPListener)
    case unix(UnixListener)
  }

  private let listener: Listener
  /// The address for programs: `127.0.0.1:7777`, or a path.
  let place: String

  var descriptor: Int32 {
    switch listener {
    case .tcp(let listener): listener.descriptor
    case .unix(let listener): listener.descriptor
    }
  }

  /// - Throws: ``CommandError`` if the address is taken, or is not one.
  init(_ address: ServerAddress) throws(CommandError) {
    do throws(SocketError) {
      switch address {
      case .tcp(let host, let port):
        let socket = try TCPListener(host, port)
        // The system chooses a port if 0 was wanted.
        place = ServerAddress.text(host, socket.port ?? port)
        listener = .tcp(socket)
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
}
