// SPDX-License-Identifier: MIT
internal import DBus

/// An implementation of one interface of an object.
protocol ExportedInterface: AnyObject {
  var description: InterfaceDescription { get }

  /// The value of a property of the description, or nil while it is absent.
  func value(of property: String) -> DBusValue?

  /// Sets a writable property to a value of its type; answers the call, now or later.
  func set(_ property: String, to value: DBusValue, answering call: MethodCall)

  /// Executes a method whose arguments have the right types; answers the call, now or later.
  func perform(_ method: String, _ call: MethodCall)
}

extension ExportedInterface {
  func value(of property: String) -> DBusValue? { nil }
  func set(_ property: String, to value: DBusValue, answering call: MethodCall) { call.fail(.notSupported) }
  func perform(_ method: String, _ call: MethodCall) { call.fail(.notSupported) }
}
