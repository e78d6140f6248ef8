// SPDX-License-Identifier: MIT
internal import DBus

/// Interfaces as XML, as the D-Bus specification defines it.
enum IntrospectionXML {
  private static let documentType =
    "<!DOCTYPE node PUBLIC \"-//freedesktop//DTD D-BUS Object Introspection 1.0//EN\"\n"
    + "\"http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd\">\n"

  static func text(interfaces: [InterfaceDescription], children: [String]) -> String {
    var text = documentType + "<node>"
    for interface in interfaces { text += self.text(of: interface) }
    for child in children { text += "<node name=\"\(child)\"/>" }
    return text + "</node>"
  }

  /// Returns the description of a path without an object.
  static func bareText(children: [String]) -> String {
    documentType + "<node>\n" + children.map { "  <node name=\"\($0)\"/>\n" }.joined() + "</node>\n"
  }

  private static func text(of interface: InterfaceDescription) -> String {
    var text = "<interface name=\"\(interface.name)\">"
    for method in interface.methods {
      text += "<method name=\"\(method.name)\">"
      for argument in method.arguments { text += self.text(of: argument, direction: "in") }
      for result in method.results { text += self.text(of: result, direction: "out") }
      text += "</method>"
    }
    for signal in interface.signals {
      text += "<signal name=\"\(signal.name)\">"
      for argument in signal.arguments { text += self.text(of: argument, direction: nil) }
      text += "</signal>\n"
    }
    for property in interface.properties {
      let access = property.isWritable ? "readwrite" : "read"
      text +=
        "<property name=\"\(property.name)\" type=\"\(property.signature)\" access=\"\(access)\"></property>"
    }
    return text + "</interface>"
  }

  private static func text(of argument: InterfaceDescription.Argument, direction: String?) -> String {
    let direction = direction.map { " direction=\"\($0)\"" } ?? ""
    return "<arg name=\"\(argument.name)\" type=\"\(argument.signature)\"\(direction)/>\n"
  }
}

extension InterfaceDescription {
  static let introspectable = InterfaceDescription(
    name: StandardInterface.introspectable, methods: [Method("Introspect", returns: ["xml:s"])])

  static let properties = InterfaceDescription(
    name: StandardInterface.properties,
    methods: [
      Method("Get", ["interface:s", "name:s"], returns: ["value:v"]),
      Method("Set", ["interface:s", "name:s", "value:v"]),
      Method("GetAll", ["interface:s"], returns: ["properties:a{sv}"]),
    ],
    signals: [
      Signal(
        "PropertiesChanged", ["interface:s", "changed_properties:a{sv}", "invalidated_properties:as"])
    ])

  static let objectManager = InterfaceDescription(
    name: StandardInterface.objectManager,
    methods: [Method("GetManagedObjects", returns: ["objects:a{oa{sa{sv}}}"])],
    signals: [
      Signal("InterfacesAdded", ["object:o", "interfaces:a{sa{sv}}"]),
      Signal("InterfacesRemoved", ["object:o", "interfaces:as"]),
    ])
}
