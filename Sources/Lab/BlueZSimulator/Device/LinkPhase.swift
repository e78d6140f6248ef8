// SPDX-License-Identifier: MIT

/// The phases of a link that stands, or does not.
enum LinkPhase: Equatable {
  case none
  /// `isForPairing`: a call of Pair has opened it, and it ends with that pairing.
  case standing(isForPairing: Bool)
  /// The daemon is about to end it: profiles may still say goodbye.
  case closing(isForPairing: Bool)

  var isConnected: Bool { self != .none }
  var isClosing: Bool { if case .closing = self { true } else { false } }
  var isForPairing: Bool { self == .standing(isForPairing: true) || self == .closing(isForPairing: true) }

  /// Returns whether the link was not being closed already.
  mutating func beginClosing() -> Bool {
    guard case .standing(let isForPairing) = self else { return false }
    self = .closing(isForPairing: isForPairing)
    return true
  }

  /// The controller is asked to end the link; returns whether it was being closed.
  @discardableResult
  mutating func endClosing() -> Bool {
    guard case .closing(let isForPairing) = self else { return false }
    self = .standing(isForPairing: isForPairing)
    return true
  }
}

/// The phases of the discovery of services over one link.
enum DiscoveryPhase: Equatable {
  case pending
  /// It waits for encryption.
  case held
  case resolved

  /// Returns whether it was held, and can begin now.
  mutating func release() -> Bool {
    guard self == .held else { return false }
    self = .pending
    return true
  }

  /// Returns whether that is news.
  mutating func resolve() -> Bool {
    defer { self = .resolved }
    return self != .resolved
  }

  /// The services end with the link or before it; returns whether they were resolved.
  mutating func end() -> Bool {
    defer { self = .pending }
    return self == .resolved
  }
}
