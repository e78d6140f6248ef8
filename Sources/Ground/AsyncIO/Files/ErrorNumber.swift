// SPDX-License-Identifier: MIT
internal import Glibc

/// The number of an error of the system, as in `errno`, with the system's text.
package struct ErrorNumber: Error, Sendable, Hashable, CustomStringConvertible {
  package let code: Int32

  package init(code: Int32) { self.code = code }

  package var description: String { String(cString: strerror(code)) }
}

/// The reason that a socket cannot be created.
package struct SocketError: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }

  package init(_ number: Int32) { description = ErrorNumber(code: number).description }
}
