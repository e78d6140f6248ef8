// SPDX-License-Identifier: MIT
internal import AsyncIO

/// Why the control socket cannot be created.
package struct ControlSocketError: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String

  init(_ error: SocketError) { description = error.description }
}
