// SPDX-License-Identifier: MIT
internal import Glibc

/// A TCP socket for ``ListeningStream/accept(_:)``.
package struct TCPListener: ~Copyable {
  private let file: OwnedDescriptor

  package var descriptor: Int32 { file.raw }

  /// The port, also if the system has chosen it; nil never happens for an open socket.
  package var port: UInt16? { SocketPort.local(of: file.raw) }

  /// Listens at the first address of a host, which may be a name.
  ///
  /// - Throws: ``SocketError`` if the address is taken, or is not one of this machine.
  package init(_ host: String, _ port: UInt16) throws(SocketError) {
    try self.init(host, port, takesBothFamilies: false)
  }

  /// Listens on a port of every network of this machine, with IPv6 and IPv4, or with IPv4 alone where there is no IPv6.
  ///
  /// - Throws: ``SocketError`` if the port is taken.
  package init(onEveryNetwork port: UInt16) throws(SocketError) {
    let hasIPv6 = OwnedDescriptor(adopting: socket(AF_INET6, ListeningStream.kind, 0)).raw >= 0
    try self.init(hasIPv6 ? "::" : "0.0.0.0", port, takesBothFamilies: hasIPv6)
  }

  private init(_ host: String, _ port: UInt16, takesBothFamilies: Bool) throws(SocketError) {
    var hints = addrinfo()
    (hints.ai_socktype, hints.ai_flags) = (Int32(SOCK_STREAM.rawValue), AI_PASSIVE | AI_NUMERICSERV)
    var found: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, "\(port)", &hints, &found)
    guard status == 0, let first = found else { throw SocketError(String(cString: gai_strerror(status))) }
    defer { freeaddrinfo(found) }
    let file = OwnedDescriptor(adopting: socket(first.pointee.ai_family, ListeningStream.kind, 0))
    guard file.raw >= 0 else { throw SocketError(errno) }
    let size = socklen_t(MemoryLayout<Int32>.size)
    var (on, off): (Int32, Int32) = (1, 0)
    setsockopt(file.raw, SOL_SOCKET, SO_REUSEADDR, &on, size)
    // Whatever the system's setting is.
    if takesBothFamilies { setsockopt(file.raw, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &off, size) }
    guard bind(file.raw, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0,
      listen(file.raw, ListeningStream.backlog) == 0
    else { throw SocketError(errno) }
    self.file = file
  }
}
