// SPDX-License-Identifier: MIT
internal import BLECentral
internal import Foundation

/// BlueZ discovers everything after connecting: these methods only make it visible to the program.
extension CBPeripheral {
  /// Discovers primary services with some UUIDs, or all; those found before stay.
  public func discoverServices(_ serviceUUIDs: [CBUUID]?) {
    guard let open = requireLink("discoverServices") else { return }
    let wanted = Wanted(serviceUUIDs)
    command(over: open) { peripheral in
      let outcome = await peripheral.tree(over: open)
      peripheral.report(over: open) { peripheral, delegate in
        if case .success(let nodes) = outcome {
          let primary = nodes.filter(\.isPrimary)
          _ = peripheral.objects(for: primary.filter { wanted.contains($0.uuid) }, over: open)
          _ = peripheral.noteServices(Set(primary.map(\.id)))
        }
        delegate?.peripheral(peripheral, didDiscoverServices: outcome.error)
      }
    }
  }

  /// Discovers included services with some UUIDs, or all; those found before stay.
  public func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, for service: CBService) {
    guard let open = requireLink("discoverIncludedServices"), let id = requireNode(service, over: open)?.id
    else { return }
    let wanted = Wanted(includedServiceUUIDs)
    command(over: open) { peripheral in
      let outcome = await peripheral.tree(over: open)
      let node = outcome.attribute { $0.first { $0.id == id } }
      peripheral.report(over: open) { peripheral, delegate in
        if case .success(let nodes) = outcome, case .success(let node) = node {
          let old = service.includedServices ?? []
          let named = nodes.filter { other in
            node.includedServices.contains(other.handle)
              && (wanted.contains(other.uuid) || old.contains { $0.node?.id == other.id })
          }
          service.setIncludedServices(peripheral.objects(for: named, over: open, isListed: false))
        }
        delegate?.peripheral(peripheral, didDiscoverIncludedServicesFor: service, error: node.error)
      }
    }
  }

  /// Discovers characteristics of a service with some UUIDs, or all; those found before stay.
  public func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {
    guard let open = requireLink("discoverCharacteristics"), let id = requireNode(service, over: open)?.id
    else { return }
    let wanted = Wanted(characteristicUUIDs)
    command(over: open) { peripheral in
      let node = await peripheral.tree(over: open).attribute { $0.first { $0.id == id } }
      peripheral.report(over: open) { peripheral, delegate in
        if case .success(let node) = node {
          let old = service.characteristics ?? []
          service.setCharacteristics(
            node.characteristics.compactMap { node in
              if let known = old.first(where: { $0.node?.id == node.id }) { return known }
              return wanted.contains(node.uuid) ? CBCharacteristic(node, of: service) : nil
            })
          peripheral.setMTU(node.characteristics.first?.mtu)
        }
        delegate?.peripheral(peripheral, didDiscoverCharacteristicsFor: service, error: node.error)
      }
    }
  }

  /// Discovers all descriptors of a characteristic.
  public func discoverDescriptors(for characteristic: CBCharacteristic) {
    guard let open = requireLink("discoverDescriptors"),
      let id = requireNode(characteristic, over: open)?.id
    else { return }
    command(over: open) { peripheral in
      let node = await peripheral.tree(over: open).attribute { nodes in
        nodes.lazy.flatMap(\.characteristics).first { $0.id == id }
      }
      peripheral.report(over: open) { peripheral, delegate in
        if case .success(let node) = node {
          let old = characteristic.descriptors ?? []
          characteristic.setDescriptors(
            node.descriptors.map { node in
              old.first { $0.node?.id == node.id } ?? CBDescriptor(node, of: characteristic)
            })
        }
        delegate?.peripheral(peripheral, didDiscoverDescriptorsFor: characteristic, error: node.error)
      }
    }
  }

  // MARK: The tree

  /// The services that CoreBluetooth hides: the system handles the device's name and changes of its services.
  private static let hidden: [BluetoothUUID] = ["1800", "1801"].compactMap { BluetoothUUID($0) }

  private func tree(over open: OpenLink) async -> Result<[GATTService], any Error> {
    do throws(BLEError) {
      let nodes = try await open.device.discoverServices()
      return .success(nodes.filter { !Self.hidden.contains($0.uuid) })
    } catch {
      return .failure(error.asCoreBluetooth())
    }
  }

  /// Returns whether a service was discovered on this peripheral over a link.
  func owns(_ service: CBService?, over open: OpenLink) -> Bool {
    service?.peripheral === self && service?.link === open
  }

  /// Returns the service in BlueZ; nil, with a report, if it is not of this peripheral and link.
  private func requireNode(_ service: CBService, over open: OpenLink) -> GATTService? {
    if owns(service, over: open), let node = service.node { return node }
    Misuse.report("\(service) is not a valid service for peripheral \(self)")
    return nil
  }

  /// Returns the existing or new objects of services, by handle; listed ones belong to ``services`` from now
  /// on.
  private func objects(
    for nodes: [GATTService], over open: OpenLink, isListed: Bool = true
  ) -> [CBService] {
    let old = services ?? []
    let known = CBService.all(of: old)
    let objects = nodes.map { node in
      known.first { $0.node?.id == node.id } ?? CBService(node, of: self, over: open)
    }
    if isListed {
      let others = old.filter { service in !objects.contains { $0 === service } }
      setServices((others + objects).sorted { ($0.node?.handle ?? 0) < ($1.node?.handle ?? 0) })
    }
    return objects
  }

  /// Reports services that appeared or disappeared since they were discovered.
  func compareServices(over open: OpenLink) async {
    guard case .success(let nodes) = await tree(over: open) else { return }
    let paths = Set(nodes.filter(\.isPrimary).map(\.id))
    let characteristics = Set(nodes.lazy.flatMap(\.characteristics).map(\.id))
    report(over: open) { peripheral, delegate in
      for characteristic in peripheral.notifying {
        guard let node = characteristic.node, !characteristics.contains(node.id) else { continue }
        peripheral.setNotifying(false, characteristic)
      }
      guard let known = peripheral.services else { return }
      let gone = known.filter { service in service.node.map { !paths.contains($0.id) } ?? false }
      let isNew = peripheral.noteServices(paths)
      guard !gone.isEmpty || isNew else { return }
      peripheral.setServices(known.filter { service in !gone.contains { $0 === service } })
      delegate?.peripheral(peripheral, didModifyServices: gone)
    }
  }
}

/// The UUIDs that a program looks for.
private struct Wanted {
  /// Nil stands for all.
  private let uuids: [BluetoothUUID]?

  /// Nil and none stand for all, as in Apple's framework.
  init(_ uuids: [CBUUID]?) { self.uuids = uuids.flatMap { $0.isEmpty ? nil : $0.map(\.value) } }

  func contains(_ uuid: BluetoothUUID) -> Bool { uuids?.contains(uuid) ?? true }
}

extension Result where Failure == any Error {
  fileprivate var error: (any Error)? { if case .failure(let error) = self { error } else { nil } }
}

extension Result where Success == [GATTService], Failure == any Error {
  /// An attribute of the tree; an error if the device has it no longer.
  fileprivate func attribute<Attribute>(_ find: ([GATTService]) -> Attribute?) -> Result<Attribute, any Error>
  {
    flatMap { nodes in find(nodes).map { .success($0) } ?? .failure(CBError(.invalidHandle)) }
  }
}
