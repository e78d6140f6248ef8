// SPDX-License-Identifier: MIT
internal import Glibc

package enum SocketPort {
  /// The port of this end of a TCP socket; nil if the descriptor is none.
  package static func local(of descriptor: Int32) -> UInt16? {
    var name = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutableBytes(of: &name) { bytes in
      guard let start = bytes.baseAddress,
        getsockname(descriptor, start.assumingMemoryBound(to: sockaddr.self), &length) == 0,
        [AF_INET, AF_INET6].contains(Int32(bytes.load(as: sa_family_t.self)))
      else { return nil }
      // The same place in both families.
      return UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    }
  }
}
