// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus

/// A service that is published, with those that it includes: one application of BlueZ's.
///
/// Confined to the manager.
final class Publication {
  static let rootPath = "/blectl/peripheral"

  /// A service with its object.
  private struct Node {
    let path: String
    let service: LocalService
    let includes: [String]
  }

  let number: Int
  let service: LocalService
  /// The object that lists the others.
  let root: String
  /// The characteristics and descriptors, by their paths.
  private(set) var attributes: [String: ServedAttribute] = [:]
  /// The same, by their numbers.
  private(set) var numbered: [ServedAttribute] = []
  /// The characteristics of the service itself, in order.
  private(set) var characteristics: [ServedAttribute] = []
  /// Those of the services that it includes, in the order of the objects.
  private(set) var includedCharacteristics: [ServedAttribute] = []
  /// The objects: services, characteristics, then descriptors.
  ///
  /// BlueZ assigns handles in this order.
  private(set) var objects: [PublishedObject] = []
  /// Where it is registered; nil while it is not.
  var registration: Registration?
  /// The turns of registering.
  let turns = SerialQueue()
  /// Whether it is published again when BlueZ has lost it.
  var isWanted = false
  /// Why it could not be published again; nil when it is.
  var lastFailure: BLEError?

  init(_ service: LocalService, number: Int) {
    self.number = number
    self.service = service
    root = "\(Publication.rootPath)/app\(number)"
    var nodes: [Node] = []
    let own = collect(service, into: &nodes)
    objects = nodes.map { PublishedObject($0.service, path: $0.path, includes: $0.includes) }
    for node in nodes {
      for (path, characteristic) in characteristics(of: node) {
        let attribute = ServedAttribute(
          characteristic, of: node.service.uuid, path: path, number: numbered.count)
        add(attribute)
        if node.path == own {
          characteristics.append(attribute)
        } else {
          includedCharacteristics.append(attribute)
        }
        objects.append(PublishedObject(characteristic, path: path, service: node.path))
      }
    }
    for node in nodes {
      for (path, characteristic) in characteristics(of: node) {
        for (index, descriptor) in characteristic.descriptors.enumerated() {
          let attribute = ServedAttribute(
            descriptor, of: characteristic.uuid, in: node.service.uuid, path: "\(path)/desc\(index)",
            number: numbered.count)
          add(attribute)
          objects.append(PublishedObject(descriptor, path: attribute.path, characteristic: path))
        }
      }
    }
  }

  private func add(_ attribute: ServedAttribute) {
    attributes[attribute.path] = attribute
    numbered.append(attribute)
  }

  /// Lists a service behind those that it includes: BlueZ ignores an inclusion of what it does not know yet.
  private func collect(_ service: LocalService, into nodes: inout [Node]) -> String {
    let includes = service.includedServices.map { collect($0, into: &nodes) }
    let path = "\(root)/service\(nodes.count)"
    nodes.append(Node(path: path, service: service, includes: includes))
    return path
  }

  private func characteristics(of node: Node) -> [(path: String, LocalCharacteristic)] {
    node.service.characteristics.enumerated().map { ("\(node.path)/char\($0.offset)", $0.element) }
  }

  /// BlueZ has forgotten it.
  func lost() {
    registration = nil
    for attribute in attributes.values { attribute.reset() }
  }
}

/// Where something is registered: a run of bluetoothd, and an adapter of it.
struct Registration: Hashable {
  let owner: String
  let adapterPath: String
}
