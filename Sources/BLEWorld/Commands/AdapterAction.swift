// SPDX-License-Identifier: MIT

/// Something that happens to an adapter.
package typealias AdapterAction = ScopedCommand<AdapterScope>

/// The commands for an adapter.
package enum AdapterScope {
  static let commands: [any Command.Type] = [
    SwitchOff.self, SwitchOn.self, RemoveAdapter.self, AddAdapter.self, BlockAdapter.self,
    UnblockAdapter.self, ReleaseMonitors.self, RepeatAdapter.self,
  ]
}

/// What commands do to the adapters, by their names.
package protocol AdapterTarget: Actor {
  /// Switches one on or off, as another program does.
  func setPowered(_ isOn: Bool, adapter: String)
  /// Blocks its radio by rfkill, or unblocks it; it stays off.
  func setBlocked(_ isBlocked: Bool, adapter: String)
  /// Unplugs it.
  func removeAdapter(_ name: String)
  /// Plugs it in: as it was, or a new one.
  func plugInAdapter(_ name: String)
  /// Ends all its passive scans.
  func releaseMonitors(adapter: String)
  /// Lets the daemon signal all its properties again.
  func repeatProperties(ofAdapter name: String)
}

/// A command for an adapter.
protocol AdapterFault: Command {
  func apply(to target: isolated any AdapterTarget, _ adapter: String)
}

extension AdapterAction {
  package func apply(to target: isolated any AdapterTarget, _ adapter: String) {
    (command as? any AdapterFault)?.apply(to: target, adapter)
  }

  /// Whether it is for an adapter that is not plugged in.
  package var adds: Bool { command is AddAdapter }
}

private struct SwitchOff: AdapterFault {
  static let word = "adapter-off"
  static let about = "Another program switches the adapter off."
  var undoing: (any Command)? { SwitchOn() }
  func apply(to target: isolated any AdapterTarget, _ adapter: String) {
    target.setPowered(false, adapter: adapter)
  }
}

private struct SwitchOn: AdapterFault {
  static let word = "adapter-on"
  static let about = "Another program switches the adapter on."
  var undoing: (any Command)? { SwitchOff() }
  func apply(to target: isolated any AdapterTarget, _ adapter: String) {
    target.setPowered(true, adapter: adapter)
  }
}

private struct RemoveAdapter: AdapterFault {
  static let word = "remove-adapter"
  static let about = "The adapter is unplugged."
  var undoing: (any Command)? { AddAdapter() }
  func apply(to target: isolated any AdapterTarget, _ adapter: String) { target.removeAdapter(adapter) }
}

private struct AddAdapter: AdapterFault {
  static let word = "add-adapter"
  static let about = "The adapter, or a new one, is plugged in."
  var undoing: (any Command)? { RemoveAdapter() }
  func apply(to target: isolated any AdapterTarget, _ adapter: String) { target.plugInAdapter(adapter) }
}

private struct BlockAdapter: AdapterFault {
  static let word = "block-adapter"
  static let about = "rfkill blocks the radio."
  var undoing: (any Command)? { UnblockAdapter() }
  func apply(to target: isolated any AdapterTarget, _ adapter: String) {
    target.setBlocked(true, adapter: adapter)
  }
}

private struct UnblockAdapter: AdapterFault {
  static let word = "unblock-adapter"
  static let about = "rfkill unblocks the radio; the adapter stays off."
  var undoing: (any Command)? { BlockAdapter() }
  func apply(to target: isolated any AdapterTarget, _ adapter: String) {
    target.setBlocked(false, adapter: adapter)
  }
}

private struct ReleaseMonitors: AdapterFault {
  static let word = "release-monitors"
  static let about = "The daemon ends all passive scans."
  func apply(to target: isolated any AdapterTarget, _ adapter: String) {
    target.releaseMonitors(adapter: adapter)
  }
}

private struct RepeatAdapter: AdapterFault {
  static let word = "repeat-adapter"
  static let about = "The daemon signals all properties of the adapter again although none has changed."
  func apply(to target: isolated any AdapterTarget, _ adapter: String) {
    target.repeatProperties(ofAdapter: adapter)
  }
}

extension AdapterAction {
  /// Another program switches it on.
  package static var switchOn: Self { Self(SwitchOn()) }
  /// Another program switches it off.
  package static var switchOff: Self { Self(SwitchOff()) }
  /// It is unplugged.
  package static var remove: Self { Self(RemoveAdapter()) }
  /// It, or a new one, is plugged in.
  package static var add: Self { Self(AddAdapter()) }
  /// rfkill blocks its radio.
  package static var block: Self { Self(BlockAdapter()) }
  /// rfkill unblocks its radio; the adapter stays off.
  package static var unblock: Self { Self(UnblockAdapter()) }
  /// The daemon ends all passive scans.
  package static var releaseMonitors: Self { Self(ReleaseMonitors()) }
  /// The daemon signals all its properties again although none has changed.
  package static var repeatProperties: Self { Self(RepeatAdapter()) }
}
