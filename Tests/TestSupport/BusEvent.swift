// SPDX-License-Identifier: MIT
package import DBus

/// Something that a client sees on the bus, at its place in the order of the bus.
package enum BusEvent: Sendable, Hashable {
  case added(path: String, interfaces: [String])
  case removed(path: String, interfaces: [String])
  case changed(path: String, interface: String, values: [String: DBusValue], invalidated: Set<String>)
  /// The outcome of a call that was given this name.
  case reply(String)
  /// Another owner of a name; empty for none.
  case owner(name: String, owner: String)

  init?(_ message: Message) {
    let arguments = message.values
    switch (message.member, arguments.count) {
    case ("InterfacesAdded", 2):
      guard case .dictionary(_, _, let entries) = arguments[1] else { return nil }
      self = .added(path: arguments[0].text ?? "", interfaces: entries.compactMap { $0.key.text })
    case ("InterfacesRemoved", 2):
      guard case .array(_, let names) = arguments[1] else { return nil }
      self = .removed(path: arguments[0].text ?? "", interfaces: names.compactMap(\.text))
    case ("PropertiesChanged", 3):
      guard case .dictionary(_, _, let entries) = arguments[1], case .array(_, let names) = arguments[2]
      else {
        return nil
      }
      var values: [String: DBusValue] = [:]
      for entry in entries { values[entry.key.text ?? ""] = entry.value.unwrapped }
      self = .changed(
        path: message.path ?? "", interface: arguments[0].text ?? "", values: values,
        invalidated: Set(names.compactMap(\.text)))
    case ("NameOwnerChanged", 3):
      self = .owner(name: arguments[0].text ?? "", owner: arguments[2].text ?? "")
    default: return nil
    }
  }

  /// Whether this reports a property's new value.
  package func sets(_ property: String, to value: DBusValue, at path: String? = nil) -> Bool {
    guard case .changed(let changedPath, _, let values, _) = self else { return false }
    return values[property] == value && (path == nil || path == changedPath)
  }

  /// The bytes that this reports as the value of a property.
  package func bytes(_ property: String, at path: String) -> [UInt8]? {
    guard case .changed(path, _, let values, _) = self, case .bytes(let bytes) = values[property] else {
      return nil
    }
    return bytes
  }

  /// Whether this reports the end of an object.
  package func removes(_ path: String) -> Bool {
    if case .removed(path, _) = self { true } else { false }
  }

  /// The object that this is about.
  package var path: String? {
    switch self {
    case .added(let path, _), .removed(let path, _), .changed(let path, _, _, _): path
    case .reply, .owner: nil
    }
  }
}
