// SPDX-License-Identifier: MIT
internal import BlueZClient
internal import DBus

/// Something that this program registers with BlueZ: an application of services, or an advertisement.
///
/// Confined to the thread of the manager's loop.
class Registrable: @unchecked Sendable {
  /// The manager of BlueZ that registers it.
  enum Kind: Int {
    case application
    case advertisement

    var interface: String { self == .application ? BlueZ.gattManager : BlueZ.advertisingManager }
    var needed: AdapterState.Managers { self == .application ? .services : .advertising }
    /// What follows Register and Unregister.
    var noun: String { self == .application ? "Application" : "Advertisement" }
    /// What an adapter without the manager cannot do.
    var ability: String { self == .application ? "offer services" : "advertise" }
  }

  static let rootPath = "/blectl/peripheral"

  final let kind: Kind
  final let number: Int
  /// The object above all others of it.
  final let root: String
  /// The object that is registered.
  final let path: String
  /// What is attempted, for errors.
  final let action: BLEError.Action
  /// Where it is registered; nil while it is not.
  final var registration: Registration?
  /// Whether it is registered again when BlueZ has lost it.
  final var isWanted = false
  /// Why it could not be registered again; nil when it is.
  final var lastFailure: BLEError?
  /// The turns of registering.
  final let turns = AsyncMutex()

  init(_ kind: Kind, number: Int, root: String, path: String, action: BLEError.Action) {
    (self.kind, self.number, self.root, self.path, self.action) = (kind, number, root, path, action)
  }

  /// The objects that BlueZ reads and calls.
  var objects: [LocalObject] { [] }

  /// BlueZ has registered it.
  func registered() {}

  /// BlueZ has it no more.
  func unregistered() {}

  /// The program has taken it back, or the manager is closed: nothing of it is reported any more.
  func removed() {}

  /// Whether an adapter can register it now.
  final func canBeRegistered(on adapter: AdapterState) -> Bool {
    adapter.managers.contains(kind.needed) && (kind == .application || adapter.isPowered)
  }

  final func call(_ verb: String, at adapterPath: String, _ options: [(String, DBusValue)]? = nil) -> Message
  {
    Message(call: verb + kind.noun, of: kind.interface, at: adapterPath, to: BlueZ.service) { writer in
      writer.objectPath(path)
      if let options { writer.properties(options) }
    }
  }
}
