// SPDX-License-Identifier: MIT
internal import JSON

/// Something that happens to an adapter.
package typealias AdapterAction = ScopedCommand<AdapterScope>

package enum AdapterScope {
  static let commands: [any Command.Type] = [
    SwitchOff.self, SwitchOn.self, RemoveAdapter.self, AddAdapter.self, BlockAdapter.self,
    UnblockAdapter.self, ReleaseMonitors.self, RepeatAdapter.self, SilenceAdapter.self, IgnoreConnects.self,
    HealAdapter.self,
  ]
}

protocol AdapterFault: Command {
  func apply(to target: isolated any DaemonTarget, _ adapter: String)
}

extension AdapterAction {
  package func apply(to target: isolated any DaemonTarget, _ adapter: String) {
    (command as? any AdapterFault)?.apply(to: target, adapter)
  }

  /// True if it is for an adapter that is not plugged in.
  package var adds: Bool { command is AddAdapter }
}

private struct SwitchOff: AdapterFault {
  static let word = "adapter-off"
  static let about = "Another program switches the adapter off."
  var undoing: (any Command)? { SwitchOn() }
  func apply(to target: isolated any DaemonTarget, _ adapter: String) {
    target.setPowered(false, adapter: adapter)
  }
}

private struct SwitchOn: AdapterFault {
  static let word = "adapter-on"
  static let about = "Another program switches the adapter on."
  var undoing: (any Command)? { SwitchOff() }
  func apply(to target: isolated any DaemonTarget, _ adapter: String) {
    target.setPowered(true, adapter: adapter)
  }
}

private struct RemoveAdapter: AdapterFault {
  static let word = "remove-adapter"
  static let about = "The adapter is unplugged."
  var undoing: (any Command)? { AddAdapter() }
  func apply(to target: isolated any DaemonTarget, _ adapter: String) { target.removeAdapter(adapter) }
}

private struct AddAdapter: AdapterFault {
  static let word = "add-adapter"
  static let about = "The adapter, or a new one, is plugged in."
  var undoing: (any Command)? { RemoveAdapter() }
  func apply(to target: isolated any DaemonTarget, _ adapter: String) { target.plugInAdapter(adapter) }
}

private struct BlockAdapter: AdapterFault {
  static let word = "block-adapter"
  static let about = "rfkill blocks the radio."
  var undoing: (any Command)? { UnblockAdapter() }
  func apply(to target: isolated any DaemonTarget, _ adapter: String) {
    target.setBlocked(true, adapter: adapter)
  }
}

private struct UnblockAdapter: AdapterFault {
  static let word = "unblock-adapter"
  static let about = "rfkill unblocks the radio; the adapter stays off."
  var undoing: (any Command)? { BlockAdapter() }
  func apply(to target: isolated any DaemonTarget, _ adapter: String) {
    target.setBlocked(false, adapter: adapter)
  }
}

/// The cure for an adapter that has stopped working.
///
/// Each also cures what a weaker one does.
package enum AdapterCure: String, CaseIterable, Sendable {
  /// The next discovery.
  case restart
  /// Switching it off and on.
  case power
  /// Only unplugging it, or a reset of its USB device.
  case reset
}

private struct SilenceAdapter: AdapterFault {
  static let word = "silence-adapter"
  static let about = "It hears nothing, although the daemon says that it scans."
  static let keys: [Field<Self>] = [.cure(\.cure)]
  var cure = AdapterCure.restart
  var undoing: (any Command)? { HealAdapter() }
  func apply(to target: isolated any DaemonTarget, _ adapter: String) {
    target.silence(adapter: adapter, until: cure)
  }
}

private struct IgnoreConnects: AdapterFault {
  static let word = "ignore-connects"
  static let about = "All its attempts to connect hang."
  static let keys: [Field<Self>] = [.cure(\.cure)]
  var cure = AdapterCure.power
  var undoing: (any Command)? { HealAdapter() }
  func apply(to target: isolated any DaemonTarget, _ adapter: String) {
    target.ignoreConnects(adapter: adapter, until: cure)
  }
}

private struct HealAdapter: AdapterFault {
  static let word = "heal-adapter"
  static let about = "It works again."
  func apply(to target: isolated any DaemonTarget, _ adapter: String) {
    target.silence(adapter: adapter, until: nil)
    target.ignoreConnects(adapter: adapter, until: nil)
  }
}

extension Field {
  fileprivate static func cure(_ key: Key<AdapterCure>) -> Field {
    Field(
      "until", key, .words(AdapterCure.allCases.map { ($0.rawValue, $0) }),
      "What heals it: restart (of the discovery), power (off and on), or reset (it is unplugged).")
  }
}

private struct ReleaseMonitors: AdapterFault {
  static let word = "release-monitors"
  static let about = "The daemon ends all passive scans."
  func apply(to target: isolated any DaemonTarget, _ adapter: String) {
    target.releaseMonitors(adapter: adapter)
  }
}

private struct RepeatAdapter: AdapterFault {
  static let word = "repeat-adapter"
  static let about = "The daemon signals all properties of the adapter again although none has changed."
  func apply(to target: isolated any DaemonTarget, _ adapter: String) {
    target.repeatProperties(ofAdapter: adapter)
  }
}

extension AdapterAction {
  package static var switchOn: Self { Self(SwitchOn()) }
  package static var switchOff: Self { Self(SwitchOff()) }
  package static var remove: Self { Self(RemoveAdapter()) }
  package static var add: Self { Self(AddAdapter()) }
  package static var block: Self { Self(BlockAdapter()) }
  package static var unblock: Self { Self(UnblockAdapter()) }
  package static var releaseMonitors: Self { Self(ReleaseMonitors()) }
  package static func silence(until cure: AdapterCure = .restart) -> Self { Self(SilenceAdapter(cure: cure)) }
  package static func ignoreConnects(until cure: AdapterCure = .power) -> Self {
    Self(IgnoreConnects(cure: cure))
  }
  package static var heal: Self { Self(HealAdapter()) }
  package static var repeatProperties: Self { Self(RepeatAdapter()) }
}
