// SPDX-License-Identifier: MIT
package import BlectlArguments

/// Is told how the work with one of several devices goes.
package struct MemberProgress: Sendable {
  /// The device: as it was typed, or one of those that match.
  package let device: DeviceArgument
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
    let device: DeviceArgument
    /// The reason that the last attempt failed; nil if none has ended.
    let error: (any Error)?
    let wasTried: Bool
  }

  private var states: [DeviceArgument: State] = [:]

  var count: Int { states.count }

  /// True if the work with one of them has begun.
  var haveBegun: Bool { states.values.contains { if case .reached = $0 { true } else { false } } }

  /// True if each one has failed.
  var areGone: Bool { failedCount == count }

  var failedCount: Int { states.values.count { if case .failed = $0 { true } else { false } } }

  /// Those with which the work never began, in the order of their names.
  var unreached: [Unreached] {
    let found: [Unreached] = states.compactMap { device, state in
      switch state {
      case .heard: Unreached(device: device, error: nil, wasTried: false)
      case .trying(let error): Unreached(device: device, error: error, wasTried: true)
      case .reached, .failed: nil
      }
    }
    return found.sorted { "\($0.device)" < "\($1.device)" }
  }

  /// Adds a device; returns false if it is one already.
  mutating func join(_ device: DeviceArgument) -> Bool {
    guard states[device] == nil else { return false }
    states[device] = .heard
    return true
  }

  /// Records an attempt, or the reason that the last one failed.
  mutating func tried(_ device: DeviceArgument, _ error: (any Error)? = nil) {
    switch states[device] {
    case .heard: states[device] = .trying(error)
    case .trying(let last): states[device] = .trying(error ?? last)
    case .reached, .failed, nil: break
    }
  }

  mutating func reached(_ device: DeviceArgument) { states[device] = .reached }

  mutating func failed(_ device: DeviceArgument) { states[device] = .failed }
}
