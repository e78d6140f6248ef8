// SPDX-License-Identifier: MIT
internal import DBus

/// An object on the bus, with the changes that are not yet signalled.
final class ExportedObject {
  /// An interface and its changed properties.
  final class Slot {
    let interface: any ExportedInterface
    let name: String
    /// Newest first, the order in which the daemon signals them.
    var changed: [String] = []
    /// Values that tests put in the place of properties, to imitate a broken daemon.
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
  /// Interfaces whose addition is not yet signalled.
  var added: [Slot] = []
  /// Names of removed interfaces, newest first.
  var removed: [String] = []
  /// True if the object is in the tree's list of changes.
  var isPending = false
  var lastChange = 0
  var isRegistered = true

  init(path: String) { self.path = path }

  func slot(_ name: String) -> Slot? { slots.first { $0.name == name } }

  /// True if it has properties, and therefore org.freedesktop.DBus.Properties.
  var hasProperties: Bool { slots.contains { !$0.interface.description.properties.isEmpty } }

  func isAdded(_ slot: Slot) -> Bool { added.contains { $0 === slot } }
}

/// An implementation of one interface of an object.
protocol ExportedInterface: AnyObject {
  var description: InterfaceDescription { get }

  /// Returns the value of a property of the description, or nil while it is absent.
  func value(of property: String) -> DBusValue?

  /// Sets a writable property to a value of its type, and answers the call, now or later.
  func set(_ property: String, to value: DBusValue, answering call: MethodCall)

  /// Executes a method whose arguments have the right types, and answers the call, now or later.
  func perform(_ method: String, _ call: MethodCall)
}

extension ExportedInterface {
  func value(of property: String) -> DBusValue? { nil }
  func set(_ property: String, to value: DBusValue, answering call: MethodCall) { call.fail(.notSupported) }
  func perform(_ method: String, _ call: MethodCall) { call.fail(.notSupported) }
}

/// A property of bytes that changes often, with a template of its signal.
final class ValueStream {
  let property: String
  let interface: String
  let path: String
  weak var object: ExportedObject?
  weak var slot: ExportedObject.Slot?
  private var template: SignalTemplate?

  init(_ property: String, of interface: String, at path: String) {
    self.property = property
    self.interface = interface
    self.path = path
  }

  /// Returns the signal for a value, or nil if no template can hold the value.
  func signal(with bytes: [UInt8]) -> Message? {
    if template?.count != bytes.count { template = SignalTemplate(count: bytes.count, build) }
    return template?.signal(with: bytes)
  }

  private func build(_ bytes: [UInt8]) -> Message {
    Message(signal: "PropertiesChanged", of: StandardInterface.properties, at: path) { writer in
      writer.string(interface)
      writer.properties([(property, .bytes(bytes))])
      writer.value(.strings([]))
    }
  }
}
