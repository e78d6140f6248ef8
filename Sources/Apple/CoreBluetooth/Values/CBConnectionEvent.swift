// SPDX-License-Identifier: MIT

/// An event of a link, of any program.
public enum CBConnectionEvent: Int, Sendable {
  /// The link ended.
  case peerDisconnected = 0
  /// The link was established.
  case peerConnected = 1
}
