// SPDX-License-Identifier: MIT
internal import Glibc

/// The number of an error of the system, as in `errno`, with the system's text.
package struct ErrorNumber: Error, Sendable, Hashable, CustomStringConvertible {
  package let code: Int32

  package init(code: Int32) { self.code = code }

  package var description: String { String(cString: strerror(code)) }
}
