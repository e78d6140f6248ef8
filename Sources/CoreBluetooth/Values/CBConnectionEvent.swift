// SPDX-License-Identifier: MIT

/// What happened to a link of any program.
public enum CBConnectionEvent: Int, Sendable {
  /// It ended.
  case peerDisconnected = 0
  /// It was made.
  case peerConnected = 1
}
