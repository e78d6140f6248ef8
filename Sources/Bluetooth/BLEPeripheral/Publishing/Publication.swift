// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

/// Services that are published together, one application in BlueZ; confined to the loop's thread.
final class Publication: Registrable {
  private struct Node {
    let path: String
    let service: LocalService
    let includes: [Int]
  }

  private let client: BlueZClient
  private unowned let requests: RequestHandler
  private var nodes: [Node] = []
  /// The characteristics that notify, by node.
  private var characteristics: [[NotifyingAttribute]] = []
  private var descriptors: [ServedAttribute] = []
  private var isRemoved = false
  /// Services, characteristics, then descriptors: BlueZ assigns handles in this order.
  private var published: [(object: PublishedObject, attribute: ServedAttribute?)] = []

  init(
    _ services: [LocalService], number: Int, _ client: BlueZClient, _ centrals: Centrals,
    _ requests: RequestHandler, _ events: EventHub
  ) {
    (self.client, self.requests) = (client, requests)
    let root = "\(Registrable.rootPath)/app\(number)"
    super.init(.application, number: number, root: root, path: root, action: .publish(services[0].uuid))
    for service in services { _ = collect(service) }
    published = nodes.map { node in
      (PublishedObject(node.service, path: node.path, includes: node.includes.map { nodes[$0].path }), nil)
    }
    for node in nodes {
      characteristics.append(
        objects(of: node).map { path, characteristic in
          let attribute = NotifyingAttribute(
            characteristic, of: node.service.uuid, path: path, client, centrals, events)
          published.append((PublishedObject(characteristic, path: path, service: node.path), attribute))
          return attribute
        })
    }
    for node in nodes {
      for (path, characteristic) in objects(of: node) {
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

  /// Lists a service once, after its included services: BlueZ ignores the inclusion of an unknown service.
  private func collect(_ service: LocalService) -> Int {
    if let known = index(of: service) { return known }
    let includes = service.includedServices.map { collect($0) }
    nodes.append(Node(path: "\(root)/service\(nodes.count)", service: service, includes: includes))
    return nodes.count - 1
  }

  private func index(of service: LocalService) -> Int? {
    nodes.firstIndex { $0.service.id == service.id }
  }

  private func objects(of node: Node) -> [(path: String, LocalCharacteristic)] {
    node.service.characteristics.enumerated().map { ("\(node.path)/char\($0.offset)", $0.element) }
  }

  var allCharacteristics: [NotifyingAttribute] { characteristics.flatMap(\.self) }

  /// The characteristics of a service, and those of its included services, as ``PublishedService`` has them.
  func characteristics(
    of service: LocalService
  ) -> (own: [NotifyingAttribute], included: [NotifyingAttribute]) {
    guard let index = index(of: service) else { return ([], []) }
    var included: Set<Int> = []
    var open = nodes[index].includes
    while let next = open.popLast() {
      if included.insert(next).inserted { open += nodes[next].includes }
    }
    return (characteristics[index], included.sorted().flatMap { characteristics[$0] })
  }

  override var objects: [LocalObject] {
    let carriesSockets = client.connection.isDirect
    return published.map { object, attribute in
      LocalObject(
        path: object.path, interface: object.interface,
        properties: object.properties.filter { carriesSockets || $0.0 != PublishedObject.notifyAcquired },
        take: client.loop.confined { [weak attribute] property, value in
          guard property == "Handle", case .uint16(let handle) = value else { return false }
          attribute?.handle = handle
          return true
        },
        perform: client.loop.confined { [weak self, weak attribute] method, call in
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
