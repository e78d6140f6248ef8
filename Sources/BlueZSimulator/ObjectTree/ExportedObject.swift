// SPDX-License-Identifier: MIT
internal import DBus

/// An object on the bus, and what has changed of it since the bus was told.
final class ExportedObject {
  /// An interface together with its properties that changed.
  final class Slot {
    let interface: any ExportedInterface
    let name: String
    /// Newest first: that is the order in which the daemon reports them.
    var changed: [String] = []
    /// What tests put in the place of property values, to imitate a broken daemon.
    var overrides: [String: DBusValue] = [:]

    init(_ interface: any ExportedInterface) {
      self.interface = interface
      name = interface.description.name
    }

    func value(of property: String) -> DBusValue? {
      if !overrides.isEmpty, let value = overrides[property] { return value }
      return interface.value(of: property)
    }

    /// The properties that are present, in the order of the description.
    var properties: [(String, DBusValue)] {
      interface.description.properties.compactMap { property in
        value(of: property.name).map { (property.name, $0) }
      }
    }
  }

  let path: String
  weak var parent: ExportedObject?
  var children: [ExportedObject] = []
  var slots: [Slot] = []
  /// Interfaces that the bus has not been told of.
  var added: [Slot] = []
  /// Names of interfaces that are gone, newest first.
  var removed: [String] = []
  /// Whether the object stands in the tree's list of changes.
  var isPending = false
  /// When something changed last, in the tree's count.
  var lastChange = 0
  var isRegistered = true

  init(path: String) { self.path = path }

  func slot(_ name: String) -> Slot? { slots.first { $0.name == name } }

  /// Whether the object has properties: only then does it have the interface for them.
  var hasProperties: Bool { slots.contains { !$0.interface.description.properties.isEmpty } }

  func isAdded(_ slot: Slot) -> Bool { added.contains { $0 === slot } }
}
