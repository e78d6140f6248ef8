// SPDX-License-Identifier: MIT

/// What can happen to an adapter.
package enum AdapterCommand: Sendable, Hashable {
  /// Another program switches it on.
  case switchOn
  /// Another program switches it off.
  case switchOff
  /// It is unplugged.
  case remove
  /// It is plugged in again, or a new one is.
  case add
  /// rfkill blocks its radio.
  case block
  /// rfkill lets it go; the adapter stays off.
  case unblock
  /// The daemon gives up all passive scans.
  case releaseMonitors
  /// The daemon tells all its properties again though none has changed.
  case repeatProperties

  /// What takes it back; nil for what happens once and is over.
  var undoing: AdapterCommand? {
    switch self {
    case .switchOn: .switchOff
    case .switchOff: .switchOn
    case .remove: .add
    case .add: .remove
    case .block: .unblock
    case .unblock: .block
    case .releaseMonitors, .repeatProperties: nil
    }
  }
}
