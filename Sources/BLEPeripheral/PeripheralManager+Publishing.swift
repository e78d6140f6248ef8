// SPDX-License-Identifier: MIT
internal import BlueZClient
internal import DBus

/// Publishing services, and taking them back.
extension PeripheralManager {
  /// Publishes a service, and returns when centrals can find it; the adapter may be off.
  ///
  /// BlueZ: `GattManager1.RegisterApplication`. Centrals that are connected get an indication that the services have
  /// changed.
  ///
  /// - Parameters:
  ///   - service: the service.
  ///   - timeout: how long BlueZ may take; nil is without limit.
  /// - Returns: the service, to update its values and to remove it.
  /// - Throws: ``BLEError``: `invalidDefinition` or `invalidLength` with what is wrong in the service;
  ///   `serviceUnavailable`, `noAdapter`, `timedOut` …
  @discardableResult
  public func add(
    _ service: LocalService, timeout: Duration? = .seconds(20)
  ) async throws(BLEError) -> PublishedService {
    let operation = Operation(.publish(service.uuid), timeout: timeout)
    var check = ServiceCheck(operation)
    try check.check(service)
    let publication = Publication(service, number: nextNumber())
    publications[publication.number] = publication
    do throws(BLEError) {
      try await register(publication, operation)
    } catch {
      publications[publication.number] = nil
      throw error
    }
    publication.isWanted = true
    return PublishedService(
      manager: self, uuid: service.uuid,
      characteristics: publication.characteristics.map { handle(for: $0, in: publication) },
      includedCharacteristics: publication.includedCharacteristics.map { handle(for: $0, in: publication) },
      number: publication.number)
  }

  /// Takes a service back; BlueZ: `UnregisterApplication`.
  ///
  /// - Parameters:
  ///   - service: the service; nothing happens when it is removed already.
  ///   - timeout: how long BlueZ may take; nil is without limit.
  /// - Throws: ``BLEError``; the service is gone all the same.
  public func remove(_ service: PublishedService, timeout: Duration? = .seconds(20)) async throws(BLEError) {
    guard let publication = publications.removeValue(forKey: service.number) else { return }
    let operation = Operation(.unpublish(service.uuid), timeout: timeout)
    publication.isWanted = false
    for attribute in publication.attributes.values { attribute.subscribers = Subscribers() }
    try await publication.turns.take(
      for: operation, on: loop, orFailWith: "BlueZ does not finish what was asked before")
    defer { publication.turns.release() }
    guard let registration = publication.registration else { return }
    publication.lost()
    defer { client.withdraw(publication.root) }
    try await client.call(
      message("UnregisterApplication", publication.root, at: registration.adapterPath), for: operation)
  }

  func handle(for attribute: ServedAttribute, in publication: Publication) -> PublishedCharacteristic {
    PublishedCharacteristic(
      manager: self, uuid: attribute.uuid, service: publication.number, path: attribute.path,
      index: attribute.number, served: attribute)
  }

  /// Registers a service on the adapter in use, unless it is registered.
  func register(_ publication: Publication, _ operation: Operation) async throws(BLEError) {
    try await publication.turns.take(
      for: operation, on: loop, orFailWith: "BlueZ does not finish what was asked before")
    defer { publication.turns.release() }
    guard publication.registration == nil, publications[publication.number] != nil else { return }
    let adapter = try knownAdapter(for: operation.action)
    guard adapter.managers.contains(.services), let owner else {
      throw operation.error(.notSupported, "the adapter \(adapter.identifier) cannot offer services")
    }
    client.export(served(publication, to: owner))
    do throws(BLEError) {
      try await client.call(
        message("RegisterApplication", publication.root, at: adapter.path) { $0.properties([]) },
        for: operation)
    } catch {
      // Behind the call: if bluetoothd still registers it after the deadline, this takes it back.
      postEnd(of: publication, at: adapter.path)
      throw error
    }
    publication.registration = Registration(owner: owner, adapterPath: adapter.path)
  }

  private func served(_ publication: Publication, to owner: String) -> LocalObjects {
    let (number, carriesSockets) = (publication.number, client.connection.isDirect)
    return LocalObjects(
      root: publication.root, for: owner,
      publication.objects.map { object in
        let path = object.path
        return LocalObject(
          path: path, interface: object.interface,
          properties: object.properties.filter { carriesSockets || $0.0 != PublishedObject.notifyAcquired },
          take: { [weak self] property, value in
            guard property == "Handle", case .uint16(let handle) = value else { return false }
            self?.assumeIsolated { $0.publications[number]?.attributes[path]?.handle = handle }
            return true
          },
          perform: { [weak self] method, call in
            self?.assumeIsolated { $0.receive(method, call, at: path, of: number) }
          })
      })
  }

  /// Takes a service back without waiting.
  func postEnd(of publication: Publication) {
    guard let adapter = publication.registration?.adapterPath ?? usedAdapter?.path else { return }
    postEnd(of: publication, at: adapter)
  }

  private func postEnd(of publication: Publication, at adapterPath: String) {
    if outage == nil {
      client.connection.post(message("UnregisterApplication", publication.root, at: adapterPath))
    }
    client.withdraw(publication.root)
  }

  private func message(
    _ member: String, _ root: String, at adapterPath: String,
    _ options: (inout MessageWriter) -> Void = { _ in }
  ) -> Message {
    Message(call: member, of: BlueZ.gattManager, at: adapterPath, to: BlueZ.service) { writer in
      writer.objectPath(root)
      options(&writer)
    }
  }
}
