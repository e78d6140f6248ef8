// SPDX-License-Identifier: MIT
internal import BLEPeripheral

/// An application in BlueZ: services of the program that inclusion connects.
struct PublishedApplication: Sendable {
  /// Included services come before those that include them.
  let definitions: [ServiceDefinition]
  /// The services that the program published; the others are only included.
  var roots: [CBMutableService]
  /// The services in BLEPeripheral, in the order of the definitions.
  var published: [PublishedService] = []

  func contains(_ definition: ServiceDefinition) -> Bool {
    definitions.contains { $0.id == definition.id }
  }

  func isRoot(_ service: CBMutableService) -> Bool { roots.contains { $0 === service } }

  /// The published characteristics with their objects.
  var characteristics: [(published: PublishedCharacteristic, object: CBMutableCharacteristic)] {
    zip(published, definitions).flatMap { published, definition in
      zip(published.characteristics, definition.characteristics).compactMap { published, object in
        (object as? CBMutableCharacteristic).map { (published, $0) }
      }
    }
  }

  /// The definitions that a service needs: its own, and those of the services that it includes.
  func part(of service: CBMutableService) -> [ServiceDefinition] {
    var ids: Set<LocalService.ID> = []
    var waiting = definitions.filter { $0.object === service }.map(\.local)
    while let next = waiting.popLast() {
      if ids.insert(next.id).inserted { waiting += next.includedServices }
    }
    return definitions.filter { ids.contains($0.id) }
  }

  /// The applications of the other services after one is removed.
  func parts(without service: CBMutableService) -> [PublishedApplication] {
    var parts: [PublishedApplication] = []
    for root in roots where root !== service {
      var part = PublishedApplication(definitions: part(of: root), roots: [root])
      for other in parts where part.definitions.contains(where: { other.contains($0) }) {
        part = other.joined(with: part)
      }
      parts.removeAll { part.isRoot($0.roots[0]) }
      parts.append(part)
    }
    return parts
  }

  /// Both in one application; the definitions of this one count.
  func joined(with other: PublishedApplication) -> PublishedApplication {
    PublishedApplication(
      definitions: definitions + other.definitions.filter { !contains($0) }, roots: roots + other.roots)
  }
}
