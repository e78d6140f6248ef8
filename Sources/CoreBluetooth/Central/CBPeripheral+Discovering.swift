// SPDX-License-Identifier: MIT
internal import BLECentral
internal import Foundation

/// BlueZ discovers everything after connecting: these methods only make it visible to the program.
extension CBPeripheral {
  /// Discovers primary services with some UUIDs, or all; those found before stay.
  public func discoverServices(_ serviceUUIDs: [CBUUID]?) {
    let wanted = serviceUUIDs ?? []
    command("discoverServices") { peripheral, open in
      let outcome = await peripheral.tree(over: open)
      peripheral.report(over: open) { peripheral, delegate in
        if case .success(let nodes) = outcome {
          let primary = nodes.filter(\.isPrimary)
          let named = primary.filter { node in wanted.isEmpty || wanted.contains { $0.value == node.uuid } }
          _ = peripheral.objects(for: named)
          _ = peripheral.noteServices(Set(primary.map(\.id)))
        }
        delegate?.peripheral(peripheral, didDiscoverServices: outcome.error)
      }
    }
  }

  /// Discovers the included services of a service.
  public func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, for service: CBService) {
    let wanted = includedServiceUUIDs ?? []
    command("discoverIncludedServices") { peripheral, open in
      let outcome = await peripheral.tree(over: open)
      peripheral.report(over: open) { peripheral, delegate in
        guard peripheral.owns(service) else { return }
        if case .success(let nodes) = outcome {
          let handles = service.node?.includedServices ?? []
          let named = nodes.filter { node in
            handles.contains(node.handle) && (wanted.isEmpty || wanted.contains { $0.value == node.uuid })
          }
          service.setIncludedServices(peripheral.objects(for: named, isListed: false))
        }
        delegate?.peripheral(peripheral, didDiscoverIncludedServicesFor: service, error: outcome.error)
      }
    }
  }

  /// Discovers characteristics of a service with some UUIDs, or all; those found before stay.
  public func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {
    let wanted = characteristicUUIDs ?? []
    command("discoverCharacteristics") { peripheral, open in
      let outcome = await peripheral.tree(over: open)
      peripheral.report(over: open) { peripheral, delegate in
        guard peripheral.owns(service) else { return }
        if case .success(let nodes) = outcome, let node = nodes.first(where: { $0.id == service.node?.id }) {
          let old = service.characteristics ?? []
          service.setCharacteristics(
            node.characteristics.compactMap { node in
              if let known = old.first(where: { $0.node?.id == node.id }) { return known }
              guard wanted.isEmpty || wanted.contains(where: { $0.value == node.uuid }) else { return nil }
              return CBCharacteristic(node, of: service)
            })
          peripheral.setMTU(node.characteristics.first?.mtu)
        }
        delegate?.peripheral(peripheral, didDiscoverCharacteristicsFor: service, error: outcome.error)
      }
    }
  }

  /// Discovers all descriptors of a characteristic.
  public func discoverDescriptors(for characteristic: CBCharacteristic) {
    command("discoverDescriptors") { peripheral, open in
      peripheral.report(over: open) { peripheral, delegate in
        guard peripheral.owns(characteristic.service), let node = characteristic.node else { return }
        let old = characteristic.descriptors ?? []
        characteristic.setDescriptors(
          node.descriptors.map { node in
            old.first { $0.node?.id == node.id } ?? CBDescriptor(node, of: characteristic)
          })
        delegate?.peripheral(peripheral, didDiscoverDescriptorsFor: characteristic, error: nil)
      }
    }
  }

  // MARK: The tree

  /// The services that CoreBluetooth hides: the system handles the device's name and changes of its services.
  private static let hidden: [BluetoothUUID] = ["1800", "1801"].compactMap { BluetoothUUID($0) }

  private func tree(over open: OpenLink) async -> Result<[GATTService], BLEError> {
    do throws(BLEError) {
      let nodes = try await open.device.discoverServices()
      return .success(nodes.filter { !Self.hidden.contains($0.uuid) })
    } catch {
      return .failure(error)
    }
  }

  func owns(_ service: CBService?) -> Bool { service?.peripheral === self && service?.node != nil }

  /// Returns the existing or new objects of services, by handle; listed ones belong to ``services`` from now
  /// on.
  private func objects(for nodes: [GATTService], isListed: Bool = true) -> [CBService] {
    let old = services ?? []
    let known = CBService.all(of: old)
    let objects = nodes.map { node in
      known.first { $0.node?.id == node.id } ?? CBService(node, of: self)
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
    report(over: open) { peripheral, delegate in
      guard let known = peripheral.services else { return }
      let gone = known.filter { service in service.node.map { !paths.contains($0.id) } ?? false }
      let isNew = peripheral.noteServices(paths)
      guard !gone.isEmpty || isNew else { return }
      peripheral.setServices(known.filter { service in !gone.contains { $0 === service } })
      delegate?.peripheral(peripheral, didModifyServices: gone)
    }
  }
}

extension Result where Failure == BLEError {
  fileprivate var error: (any Error)? {
    if case .failure(let error) = self { error.asCoreBluetooth() } else { nil }
  }
}
