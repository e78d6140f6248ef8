// SPDX-License-Identifier: MIT
internal import BlueZClient
internal import DBus

/// An item that this program registers with BlueZ: an application of services, or an advertisement.
///
/// Confined to the thread of the manager's loop.
class Registrable {
  /// The BlueZ manager that registers it.
  enum Kind: Int {
    case application
    case advertisement

    var interface: String { self == .application ? BlueZ.gattManager : BlueZ.advertisingManager }
    var needed: AdapterState.Managers { self == .application ? .services : .advertising }
    /// The suffix of the methods Register… and Unregister….
    var noun: String { self == .application ? "Application" : "Advertisement" }
    /// The ability that an adapter without the manager lacks.
    var ability: String { self == .application ? "offer services" : "advertise" }
  }

  static let rootPath = "/blectl/peripheral"

  final let kind: Kind
  final let number: Int
  /// The root of its objects.
  final let root: String
  /// The registered object.
  final let path: String
  /// The action, for errors.
  final let action: BLEError.Action
  /// The current registration; nil if the item is not registered.
  final var registration: Registration?
  /// True to register it again when BlueZ loses it.
  final var isWanted = false
  /// True if an attempt to register it again is under way.
  final var isRestoring = false
  /// True if something has changed since that attempt began.
  final var mustRestoreAgain = false
  /// The reason that the item could not be registered again; nil if it is registered.
  final var lastFailure: BLEError?
  final let turns = AsyncMutex()

  init(_ kind: Kind, number: Int, root: String, path: String, action: BLEError.Action) {
    (self.kind, self.number, self.root, self.path, self.action) = (kind, number, root, path, action)
  }

  /// The objects that BlueZ reads and calls.
  var objects: [LocalObject] { [] }

  func registered() {}

  func unregistered() {}

  /// Called when the program removed it, or the manager is closed: nothing about it is reported any more.
  func removed() {}

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

/// The place of a registration: an adapter of bluetoothd.
struct Registration: Hashable {
  let adapterPath: String
}
