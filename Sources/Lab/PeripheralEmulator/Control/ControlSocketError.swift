// SPDX-License-Identifier: MIT
internal import AsyncIO

/// An error that prevents the creation of the control socket.
package struct ControlSocketError: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String

  init(_ error: SocketError) { description = error.description }
}
