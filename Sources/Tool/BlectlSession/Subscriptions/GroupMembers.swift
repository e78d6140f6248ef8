// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments

/// Is told how the work with one of several devices goes.
package struct MemberProgress: Sendable {
  /// Called when the work has begun, and again over each new link.
  package let began: @Sendable () -> Void
  /// Called when an attempt has failed, and another one follows.
  package let failed: @Sendable (any Error) -> Void
}

/// The devices of a group, and what became of each.
///
/// A device that changes its private address is one member.
struct GroupMembers {
  private enum State {
    /// Its turn has not come.
    case heard
    /// The work has not begun; the error is that of the last attempt, nil during the first one.
    case trying((any Error)?)
    /// The work has begun.
    case reached
    /// It was given up, and its error was printed.
    case failed
  }

  /// A member with which the work never began.
  struct Unreached {
    let key: DeviceKey
    /// The reason that the last attempt failed; nil if none has ended.
    let error: (any Error)?
    let wasTried: Bool
  }

  private var states: [DeviceKey: State] = [:]

  var count: Int { states.count }

  /// True if each one has failed.
  var areGone: Bool { failedCount == count }

  var failedCount: Int { states.values.count { if case .failed = $0 { true } else { false } } }

  /// Those with which the work never began, in the order of their names.
  var unreached: [Unreached] {
    let found: [Unreached] = states.compactMap { key, state in
      switch state {
      case .heard: Unreached(key: key, error: nil, wasTried: false)
      case .trying(let error): Unreached(key: key, error: error, wasTried: true)
      case .reached, .failed: nil
      }
    }
    return found.sorted { "\(DeviceArgument($0.key))" < "\(DeviceArgument($1.key))" }
  }

  /// Adds a device; returns false if it is one already.
  mutating func join(_ key: DeviceKey) -> Bool {
    guard states[key] == nil else { return false }
    states[key] = .heard
    return true
  }

  /// Records an attempt, or the reason that the last one failed.
  mutating func tried(_ key: DeviceKey, _ error: (any Error)? = nil) {
    switch states[key] {
    case .heard: states[key] = .trying(error)
    case .trying(let last): states[key] = .trying(error ?? last)
    case .reached, .failed, nil: break
    }
  }

  mutating func reached(_ key: DeviceKey) { states[key] = .reached }

  mutating func failed(_ key: DeviceKey) { states[key] = .failed }
}
