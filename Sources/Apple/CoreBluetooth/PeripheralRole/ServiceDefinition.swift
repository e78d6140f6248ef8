// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEPeripheral

/// A service of the program as it was when the program published it: later changes of the object do not count.
struct ServiceDefinition: Sendable {
  let object: CBService
  let local: LocalService
  /// The objects of its characteristics, in order.
  let characteristics: [CBCharacteristic]

  var id: LocalService.ID { local.id }
}

extension CBMutableService {
  /// Returns the definitions of the service and of those that it includes, which come first.
  ///
  /// - Throws: `invalidParameters`, with a report, if a service includes itself.
  func definitions(in session: ServingSession) throws(CBError) -> [ServiceDefinition] {
    var collection = DefinitionCollection(session: session)
    _ = try collection.add(self)
    return collection.definitions
  }
}

/// The definitions of a service and of those that it includes, each once.
private struct DefinitionCollection {
  let session: ServingSession
  private(set) var definitions: [ServiceDefinition] = []
  /// The services whose included services are being added.
  private var including: [CBService] = []

  init(session: ServingSession) { self.session = session }

  mutating func add(_ service: CBService) throws(CBError) -> LocalService {
    if let known = definitions.first(where: { $0.object === service }) { return known.local }
    guard !including.contains(where: { $0 === service }) else {
      Misuse.report("\(service) includes itself")
      throw CBError(.invalidParameters)
    }
    including.append(service)
    var included: [LocalService] = []
    for other in service.includedServices ?? [] { included.append(try add(other)) }
    including.removeLast()
    let characteristics = service.characteristics ?? []
    let local = service.local(characteristics, including: included, in: session)
    definitions.append(ServiceDefinition(object: service, local: local, characteristics: characteristics))
    return local
  }
}
