// SPDX-License-Identifier: MIT
internal import BlueZClient
internal import DBus

/// A published service with its included services, one application in BlueZ; confined to the loop's thread.
final class Publication: Registrable, @unchecked Sendable {
  private struct Node {
    let path: String
    let service: LocalService
    let includes: [String]
  }

  private let client: BlueZClient
  private unowned let requests: RequestHandler
  private(set) var characteristics: [NotifyingAttribute] = []
  private(set) var includedCharacteristics: [NotifyingAttribute] = []
  private var descriptors: [ServedAttribute] = []
  private var isRemoved = false
  /// Services, characteristics, then descriptors: BlueZ assigns handles in this order.
  private var published: [(object: PublishedObject, attribute: ServedAttribute?)] = []

  init(
    _ service: LocalService, number: Int, _ client: BlueZClient, _ centrals: Centrals,
    _ requests: RequestHandler, _ events: EventHub
  ) {
    (self.client, self.requests) = (client, requests)
    let root = "\(Registrable.rootPath)/app\(number)"
    super.init(.application, number: number, root: root, path: root, action: .publish(service.uuid))
    var nodes: [Node] = []
    let own = collect(service, into: &nodes)
    published = nodes.map { (PublishedObject($0.service, path: $0.path, includes: $0.includes), nil) }
    for node in nodes {
      for (path, characteristic) in characteristics(of: node) {
        let attribute = NotifyingAttribute(
          characteristic, of: node.service.uuid, path: path, client, centrals, events)
        if node.path == own {
          characteristics.append(attribute)
        } else {
          includedCharacteristics.append(attribute)
        }
        published.append((PublishedObject(characteristic, path: path, service: node.path), attribute))
      }
    }
    for node in nodes {
      for (path, characteristic) in characteristics(of: node) {
        for (index, descriptor) in characteristic.descriptors.enumerated() {
          let attribute = ServedAttribute(
            descriptor, of: characteristic.uuid, in: node.service.uuid, path: "\(path)/desc\(index)")
          descriptors.append(attribute)
          published.append(
            (PublishedObject(descriptor, path: attribute.path, characteristic: path), attribute))
        }
      }
    }
  }

  /// Lists a service after its included services: BlueZ ignores the inclusion of an unknown service.
  private func collect(_ service: LocalService, into nodes: inout [Node]) -> String {
    let includes = service.includedServices.map { collect($0, into: &nodes) }
    let path = "\(root)/service\(nodes.count)"
    nodes.append(Node(path: path, service: service, includes: includes))
    return path
  }

  private func characteristics(of node: Node) -> [(path: String, LocalCharacteristic)] {
    node.service.characteristics.enumerated().map { ("\(node.path)/char\($0.offset)", $0.element) }
  }

  var allCharacteristics: [NotifyingAttribute] { characteristics + includedCharacteristics }

  override var objects: [LocalObject] {
    let carriesSockets = client.connection.isDirect
    return published.map { object, attribute in
      LocalObject(
        path: object.path, interface: object.interface,
        properties: object.properties.filter { carriesSockets || $0.0 != PublishedObject.notifyAcquired },
        take: { [weak attribute] property, value in
          guard property == "Handle", case .uint16(let handle) = value else { return false }
          attribute?.handle = handle
          return true
        },
        perform: { [weak self, weak attribute] method, call in
          guard let self, let attribute, !isRemoved else { return nil }
          return requests.answer(method, call, to: attribute)
        })
    }
  }

  override func registered() {
    for characteristic in allCharacteristics { characteristic.phase = .registered }
  }

  override func unregistered() {
    for attribute in descriptors { requests.forget(attribute) }
    for characteristic in allCharacteristics {
      requests.forget(characteristic)
      characteristic.unregistered()
    }
  }

  override func removed() {
    isRemoved = true
    for characteristic in allCharacteristics { characteristic.phase = .removed }
  }
}
