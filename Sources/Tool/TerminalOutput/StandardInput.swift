// SPDX-License-Identifier: MIT
internal import AsyncIO

/// Standard input, as the process got it.
package enum StandardInput {
  private static let wasClosed = Lock(false)

  /// True if it was closed when the process began; /dev/null is in its place then, and would read as an empty
  /// file.
  package static var isClosed: Bool { wasClosed.withLock(\.self) }

  package static func noteClosed() { wasClosed.exchange(true) }
}
