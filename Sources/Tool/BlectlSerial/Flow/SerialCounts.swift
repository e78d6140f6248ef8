// SPDX-License-Identifier: MIT

/// The bytes of a serial port since the start, and what was lost.
package struct SerialCounts: Sendable, Hashable {
  /// Those that have certainly arrived at the peer.
  package var sent = 0
  package var received = 0
  /// Those that were on their way when a link was lost.
  package var uncertain = 0
  /// Received ones that nobody took in time.
  package var dropped = 0
  /// Written ones that came without a link, and were not to wait.
  package var refused = 0
}
