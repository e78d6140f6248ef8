// SPDX-License-Identifier: MIT
internal import Glibc

package enum SocketPort {
  /// The port of this end of a TCP socket; nil if the descriptor is none.
  package static func local(of descriptor: Int32) -> UInt16? { port { getsockname(descriptor, $0, $1) } }

  /// The port of the other end of a TCP socket; nil if the descriptor is none, or not connected.
  package static func peer(of descriptor: Int32) -> UInt16? { port { getpeername(descriptor, $0, $1) } }

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
