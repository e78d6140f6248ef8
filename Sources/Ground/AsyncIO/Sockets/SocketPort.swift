// SPDX-License-Identifier: MIT
internal import Glibc

package enum SocketPort {
  /// The port of this end of a TCP socket; nil if the descriptor is none.
  package static func local(of descriptor: Int32) -> UInt16? { port { getsockname(descriptor, $0, $1) } }

  /// The port of the other end of a TCP socket; nil if the descriptor is none, or not connected.
  package static func peer(of descriptor: Int32) -> UInt16? { port { getpeername(descriptor, $0, $1) } }

  /// The numeric address of the other end, without its port; nil if the descriptor is none of a network.
  package static func peerAddress(of descriptor: Int32) -> String? {
    var name = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutableBytes(of: &name) { bytes in
      guard let start = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
        getpeername(descriptor, start, &length) == 0,
        [AF_INET, AF_INET6].contains(Int32(start.pointee.sa_family))
      else { return nil }
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      guard getnameinfo(start, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
        return nil
      }
      // A socket for both families has IPv4 addresses in the form of IPv6.
      return NetworkAddress.plain(
        String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
  }

  private static func port(
    _ read: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> UInt16? {
    var name = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutableBytes(of: &name) { bytes in
      guard let start = bytes.baseAddress,
        read(start.assumingMemoryBound(to: sockaddr.self), &length) == 0,
        [AF_INET, AF_INET6].contains(Int32(bytes.load(as: sa_family_t.self)))
      else { return nil }
      // The same place in both families.
      return UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    }
  }
}
