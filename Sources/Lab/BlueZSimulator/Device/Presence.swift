// SPDX-License-Identifier: MIT

/// The lifetime of a device in the daemon.
enum Presence: Equatable {
  /// It is stored on disk.
  case permanent
  /// It is removed when no advertisement arrives for a while, unless it is connected.
  case temporary
  /// It is removed after a while although it is connected, because a pairing has failed.
  case doomed
  /// A client has removed it: it ends with its link.
  case forgotten

  mutating func keep() { if self != .forgotten { self = .permanent } }

  mutating func release() { if self == .permanent { self = .temporary } }

  mutating func pairingFailed() { if self != .forgotten { self = .doomed } }

  mutating func paired() { if self == .doomed { self = .temporary } }

  /// Returns whether the device is removed now that no advertisement has arrived for a while.
  func expires(isConnected: Bool) -> Bool {
    switch self {
    case .permanent: false
    case .temporary, .forgotten: !isConnected
    case .doomed: true
    }
  }
}
