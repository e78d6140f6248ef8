// SPDX-License-Identifier: MIT
internal import DBus

/// Something that answers for one interface of an object.
protocol ExportedInterface: AnyObject {
  var description: InterfaceDescription { get }

  /// The value of a property of the description; nil when it is absent at present.
  func value(of property: String) -> DBusValue?

  /// Sets a writable property to a value of its type; answers the call, now or later.
  func set(_ property: String, to value: DBusValue, answering call: MethodCall)

  /// Does a method of the description, whose arguments have the right types; answers the call, now or later.
  func perform(_ method: String, _ call: MethodCall)
}

extension ExportedInterface {
  func value(of property: String) -> DBusValue? { nil }
  func set(_ property: String, to value: DBusValue, answering call: MethodCall) { call.fail(.notSupported) }
  func perform(_ method: String, _ call: MethodCall) { call.fail(.notSupported) }
}
