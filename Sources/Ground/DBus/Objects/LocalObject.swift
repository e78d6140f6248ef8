// SPDX-License-Identifier: MIT

package enum LocalAnswer: Sendable {
  case now(Message)
  /// Later, with ``Connection/send(_:isSecret:)``.
  case later
}

/// An exported object that a service calls: one interface, its properties, and its methods.
package struct LocalObject: Sendable {
  package let path: String
  package let interface: String
  /// Constant; the service may read them at any time.
  package let properties: [(String, DBusValue)]
  /// True if the arguments of calls and replies are secret, and kept out of logs.
  let isSecret: Bool
  /// Takes a value that the service sets; nil if no property can be set.
  let take: (@Sendable (_ property: String, _ value: DBusValue) -> Bool)?
  let perform: @Sendable (_ method: String, _ call: Message) -> LocalAnswer?

  /// Exports an object with an interface, in addition to those of D-Bus itself.
  ///
  /// Both closures run on the loop. `take` returns whether the property accepts the value; the list of
  /// properties does not change. `perform` returns nil if the method does not exist.
  package init(
    path: String, interface: String, properties: [(String, DBusValue)] = [], isSecret: Bool = false,
    take: (@Sendable (_ property: String, _ value: DBusValue) -> Bool)? = nil,
    perform: @escaping @Sendable (_ method: String, _ call: Message) -> LocalAnswer?
  ) {
    self.path = path
    self.interface = interface
    self.properties = properties
    self.isSecret = isSecret
    self.take = take
    self.perform = perform
  }
}

extension LocalObject {
  /// Answers a call of this object; returns nil if the method does not exist.
  func answer(_ call: Message) -> LocalAnswer? {
    if call.isCall(of: StandardInterface.properties), let reply = answerProperties(call) {
      return .now(reply)
    }
    guard call.isCall(of: interface), let method = call.member else { return nil }
    return perform(method, call)
  }

  private func answerProperties(_ call: Message) -> Message? {
    if call.member == "Set", call.hasSignature("ssv") { return set(call) }
    let arguments = call.values.map(\.text)
    let properties = arguments.first == interface ? self.properties : []
    switch call.member {
    case "GetAll" where call.hasSignature("s"):
      return Message(replyTo: call) { $0.properties(properties) }
    case "Get" where call.hasSignature("ss"):
      guard let value = properties.first(where: { $0.0 == arguments.last })?.1 else {
        return Message(errorTo: call, name: ErrorName.invalidArguments, text: "there is no such property")
      }
      return Message(replyTo: call) { $0.value(.variant(value)) }
    default: return nil
    }
  }

  private func set(_ call: Message) -> Message? {
    let arguments = call.values
    guard let take, arguments.count == 3, arguments[0].text == interface, let property = arguments[1].text
    else { return nil }
    guard take(property, arguments[2].unwrapped) else {
      return Message(errorTo: call, name: ErrorName.invalidArguments, text: "the property does not take it")
    }
    return Message(replyTo: call)
  }
}

extension Message {
  /// Returns whether this calls a method of an interface; a call may omit the interface.
  func isCall(of interface: String) -> Bool { self.interface.map { $0 == interface } ?? true }
}
