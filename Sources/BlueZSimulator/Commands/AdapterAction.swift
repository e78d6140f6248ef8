// SPDX-License-Identifier: MIT

/// Something that happens to an adapter.
package enum AdapterAction: Sendable, Hashable {
  /// Another program switches it on.
  case switchOn
  /// Another program switches it off.
  case switchOff
  /// It is unplugged.
  case remove
  /// It, or a new one, is plugged in.
  case add
  /// rfkill blocks its radio.
  case block
  /// rfkill unblocks its radio; the adapter stays off.
  case unblock
  /// The daemon ends all passive scans.
  case releaseMonitors
  /// The daemon signals all its properties again although none has changed.
  case repeatProperties

  /// The action that undoes it; nil for a momentary action.
  var undoing: AdapterAction? {
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
