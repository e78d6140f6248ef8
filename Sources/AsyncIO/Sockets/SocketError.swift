// SPDX-License-Identifier: MIT
internal import Glibc

/// Why a socket cannot be created.
package struct SocketError: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }

  package init(_ number: Int32) { description = String(cString: strerror(number)) }
}
