// SPDX-License-Identifier: MIT
import DBus

@testable import BLECentral

/// The interfaces of an object and their properties, in the order in which they are sent.
typealias Interfaces = KeyValuePairs<String, KeyValuePairs<String, DBusValue>>

extension DBusValue {
  /// An `a{sa{sv}}`.
  static func interfaces(_ interfaces: Interfaces) -> DBusValue {
    .dictionary(
      key: "s", value: "a{sv}",
      interfaces.map { .init(.string($0.key), .properties($0.value.map { ($0.key, $0.value) })) })
  }
}

/// What BlueZ would send, as values.
enum Bodies {
  static func managedObjects(_ objects: KeyValuePairs<String, Interfaces>) -> [DBusValue] {
    [
      .dictionary(
        key: "o", value: "a{sa{sv}}",
        objects.map { .init(.objectPath($0.key), .interfaces($0.value)) })
    ]
  }

  static func interfacesAdded(_ path: String, _ interfaces: Interfaces) -> [DBusValue] {
    [.objectPath(path), .interfaces(interfaces)]
  }

  static func propertiesChanged(
    _ interface: String, _ values: KeyValuePairs<String, DBusValue>, invalidated: [String] = []
  ) -> [DBusValue] {
    [.string(interface), .properties(values.map { ($0.key, $0.value) }), .strings(invalidated)]
  }

  /// Hands `read` a reader of the marshalled values.
  static func read<Result>(_ values: [DBusValue], _ read: (inout WireReader) -> Result) -> Result {
    body(values).read(read)
  }

  /// The values, marshalled.
  static func body(_ values: [DBusValue]) -> MessageBody {
    Message(signal: "Test", of: "org.example.Test", at: "/") { writer in
      for value in values { writer.value(value) }
    }.body
  }
}

extension ObjectModel {
  mutating func replace(_ objects: KeyValuePairs<String, Interfaces>) {
    replace(with: Bodies.body(Bodies.managedObjects(objects)))
  }

  mutating func add(_ path: String, _ interfaces: Interfaces) -> [String] {
    Bodies.read(Bodies.interfacesAdded(path, interfaces)) { interfacesAdded(&$0) }.map(\.words)
  }

  mutating func remove(_ path: String, _ interfaces: [String]) -> [String] {
    Bodies.read([.objectPath(path), .strings(interfaces)]) { interfacesRemoved(&$0) }.map(\.words)
  }

  mutating func change(
    _ path: String, _ interface: String, _ values: KeyValuePairs<String, DBusValue>,
    invalidated: [String] = []
  ) -> [String] {
    Bodies.read(Bodies.propertiesChanged(interface, values, invalidated: invalidated)) {
      propertiesChanged(path, &$0)
    }.map(\.words)
  }
}

extension ObjectModel.Change {
  /// The change in words, for comparing.
  var words: String {
    switch self {
    case .adapter(let path): "adapter \(path)"
    case .adapterRemoved(let path): "adapter removed \(path)"
    case .deviceAdded(let path): "device added \(path)"
    case .device(let path, let advertised): "device \(path) \(advertised.rawValue)"
    case .linkLost(let path): "link lost \(path)"
    case .deviceRemoved(let record): "device removed \(record.path)"
    case .attributes: "attributes"
    case .services(let path): "services of \(path)"
    case .attributeRemoved(let path): "attribute removed \(path)"
    case .value(let path, let bytes): "value \(path) \(bytes)"
    }
  }
}
