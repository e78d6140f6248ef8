// SPDX-License-Identifier: MIT
/// The reason that a socket cannot be created.
package struct SocketError: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }

  package init(_ number: Int32) { description = ErrorNumber(code: number).description }
}
