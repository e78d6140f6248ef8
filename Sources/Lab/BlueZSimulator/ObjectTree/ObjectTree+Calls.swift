// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import DBus

/// Dispatches calls and implements the interfaces that every object has.
extension ObjectTree {
  func answer(_ call: MethodCall) {
    let message = call.message
    let path = message.path ?? ""
    if let extra, message.interface == extra.description.name {
      let method = extra.description.methods.first { $0.name == message.member }
      guard let method, method.signature == message.signature else {
        return call.fail(.unknown(ErrorName.unknownMethod, message))
      }
      return extra.perform(method.name, call)
    }
    guard let object = object(at: path) else {
      answerWithoutObject(call, at: path)
      return
    }
    switch message.interface {
    case StandardInterface.properties where object.hasProperties: answerProperties(call, of: object)
    case StandardInterface.introspectable: answerIntrospection(call, of: object)
    case StandardInterface.objectManager where object === root: answerObjectManager(call)
    default: answerMethod(call, of: object)
    }
  }

  /// Answers as libdbus does: every path can be introspected, and a path above objects counts as an object.
  private func answerWithoutObject(_ call: MethodCall, at path: String) {
    let children = children(of: path)
    if call.message.interface == StandardInterface.introspectable, call.message.member == "Introspect" {
      call.reply { $0.string(IntrospectionXML.bareText(children: children)) }
    } else {
      call.fail(.unknown(children.isEmpty ? ErrorName.unknownObject : ErrorName.unknownMethod, call.message))
    }
  }

  private func answerMethod(_ call: MethodCall, of object: ExportedObject) {
    let message = call.message
    let candidates = object.slots.filter { message.interface == nil || message.interface == $0.name }
    for slot in candidates {
      let method = slot.interface.description.methods.first { $0.name == message.member }
      if let method, method.signature == message.signature {
        slot.interface.perform(method.name, call)
        return
      }
    }
    call.fail(.unknown(ErrorName.unknownMethod, message))
  }

  private func answerProperties(_ call: MethodCall, of object: ExportedObject) {
    let message = call.message
    switch (message.member, message.signature) {
    case ("Get", "ss"): get(call, of: object)
    case ("GetAll", "s"):
      let name = call.argument(0)?.text ?? ""
      guard let slot = object.slot(name) else {
        // These interfaces have no properties.
        if name == StandardInterface.properties || name == StandardInterface.introspectable {
          call.reply { $0.properties([]) }
        } else {
          call.fail(.noSuchInterface(name))
        }
        return
      }
      call.reply { $0.properties(slot.properties) }
    case ("Set", "ssv"): set(call, of: object)
    default: call.fail(.unknown(ErrorName.unknownMethod, message))
    }
  }

  private func get(_ call: MethodCall, of object: ExportedObject) {
    let name = call.argument(0)?.text ?? ""
    let property = call.argument(1)?.text ?? ""
    guard let slot = object.slot(name) else { return call.fail(.noSuchInterface(name)) }
    guard slot.interface.description.property(property) != nil, let value = slot.value(of: property) else {
      return call.fail(.noSuchProperty(property))
    }
    call.reply { $0.value(.variant(value)) }
  }

  private func set(_ call: MethodCall, of object: ExportedObject) {
    let name = call.argument(0)?.text ?? ""
    let property = call.argument(1)?.text ?? ""
    guard let slot = object.slot(name) else { return call.fail(.noSuchInterface(name)) }
    guard let known = slot.interface.description.property(property) else {
      return call.fail(.unknownProperty(property))
    }
    guard known.isWritable else { return call.fail(.readOnly(property)) }
    guard slot.value(of: property) != nil else { return call.fail(.unknownProperty(property)) }
    guard case .variant(let value) = call.argument(2), value.typeSignature == known.signature else {
      return call.fail(.invalidSignature(property))
    }
    slot.interface.set(property, to: value, answering: call)
  }

  private func answerIntrospection(_ call: MethodCall, of object: ExportedObject) {
    guard call.message.member == "Introspect", call.message.signature.isEmpty else {
      return call.fail(.unknown(ErrorName.unknownMethod, call.message))
    }
    var interfaces = object.slots.map(\.interface.description)
    if let first = interfaces.firstIndex(where: { !$0.properties.isEmpty }) {
      interfaces.insert(.properties, at: first + 1)
    }
    if object === root { interfaces.append(.objectManager) }
    call.reply {
      $0.string(
        IntrospectionXML.text(interfaces: [.introspectable] + interfaces, children: children(of: object.path))
      )
    }
  }

  private func answerObjectManager(_ call: MethodCall) {
    guard call.message.member == "GetManagedObjects", call.message.signature.isEmpty else {
      return call.fail(.unknown(ErrorName.unknownMethod, call.message))
    }
    call.reply { writer in
      writer.array(of: "{oa{sa{sv}}}") { writer in
        for child in root.children.reversed() { ObjectTree.append(child, to: &writer) }
      }
    }
  }

  /// Appends an object and those below it, newest first as bluetoothd does.
  private static func append(_ object: ExportedObject, to writer: inout MessageWriter) {
    writer.entry { writer in
      writer.objectPath(object.path)
      writer.array(of: "{sa{sv}}") { $0.interfaces(object.slots, of: object, withStandardOnes: true) }
    }
    for child in object.children.reversed() { append(child, to: &writer) }
  }
}

/// A method call, which is answered once.
final class MethodCall {
  let message: Message
  private let tree: ObjectTree
  private var isAnswered = false

  init(_ message: Message, on tree: ObjectTree) {
    self.message = message
    self.tree = tree
  }

  var sender: String { message.sender ?? "" }
  private(set) lazy var arguments: [DBusValue] = message.values

  func argument(_ index: Int) -> DBusValue? { index < arguments.count ? arguments[index] : nil }

  func reply(_ body: (inout MessageWriter) -> Void = { _ in }) {
    answer { Message(replyTo: message, body) }
  }

  func fail(_ error: BlueZError) {
    answer { Message(errorTo: message, name: error.name, text: error.text) }
  }

  private func answer(_ make: () -> Message) {
    guard !isAnswered else { return }
    isAnswered = true
    guard message.wantsReply else { return }
    tree.send(make())
  }
}

/// An object that a client registers: an application, an advertisement or a profile.
struct ClientObject: Hashable {
  /// The bus name of the client.
  let client: String
  /// The path at which the client exports it.
  let path: String

  init(_ client: String, _ path: String) {
    self.client = client
    self.path = path
  }

  /// Creates the object that a call registers or unregisters.
  init(namedBy call: MethodCall) {
    client = call.sender
    path = call.argument(0)?.text ?? ""
  }

  var objectsRequest: Message {
    Message(call: "GetManagedObjects", of: StandardInterface.objectManager, at: path, to: client)
  }
}
