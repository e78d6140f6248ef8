// SPDX-License-Identifier: MIT
internal import BLEFormats

extension PeripheralSpec {
  /// True if its firmware can be updated.
  package var isUpdatable: Bool { smp != nil || dfu != nil }

  /// The version of the firmware that runs at first; nil if it is not updatable.
  package var firmwareVersion: String? { smp?.version ?? dfu?.version }

  /// The time after which it reports changed services; nil if it never does.
  package var reportsChangeAfter: Duration? { smp?.reportsChangeAfter ?? dfu?.reportsChangeAfter }

  /// The address of its boot loader, if that is another one.
  package var bootloaderAddress: String? {
    guard dfu?.isElsewhere == true, let own = BluetoothAddress(address) else { return nil }
    var bytes = own.bytes
    // The last byte alone counts on; it may wrap.
    bytes[5] &+= 1
    return BluetoothAddress(bytes: bytes)?.description
  }

  /// Returns the peripheral while firmware of a version runs, moved by some handles; its services are all in ``services``.
  package func running(version: String, movedBy distance: Int = 0) -> PeripheralSpec {
    guard isUpdatable else { return self }
    var running = self
    (running.smp, running.dfu) = (nil, nil)
    running.services = services.map { $0.reporting(version) }
    if !services.contains(where: { $0.uuid == .deviceInformation }) {
      running.services.append(
        ServiceSpec(
          .deviceInformation,
          [CharacteristicSpec(FirmwareUUID.firmwareRevision, .read, value: Array(version.utf8))]))
    }
    running.services += [smp?.service, dfu?.applicationService].compactMap(\.self)
    running.moveServices(by: distance)
    return running
  }

  /// Returns the peripheral while its boot loader runs; nil if the application itself takes firmware.
  package func inBootloader(named name: String? = nil) -> PeripheralSpec? {
    guard let dfu, dfu.jumps else { return nil }
    let service = dfu.bootloaderService
    var advertisement = AdvertisementSpec(
      name: name ?? dfu.bootloaderName, services: [service.uuid], interval: self.advertisement.interval,
      rssi: self.advertisement.rssi)
    advertisement.rssiDrift = self.advertisement.rssiDrift
    return PeripheralSpec(
      address: bootloaderAddress ?? address, isAddressPublic: isAddressPublic, privateAddress: nil,
      advertisement: advertisement, services: [service], hasGenericAttribute: hasGenericAttribute,
      mtu: dfu.mtu ?? mtu, link: link, pairing: pairing)
  }

  private mutating func moveServices(by distance: Int) {
    guard distance > 0, !services.isEmpty else { return }
    func moved(_ handle: UInt16?) -> UInt16? { handle.map { UInt16(clamping: Int($0) + distance) } }
    let first = services[0].handle ?? UInt16(clamping: AttributeLayout.firstHandle(of: self))
    services[0].handle = first
    for index in services.indices {
      services[index].handle = moved(services[index].handle)
      for number in services[index].characteristics.indices {
        var characteristic = services[index].characteristics[number]
        characteristic.handle = moved(characteristic.handle)
        for place in characteristic.descriptors.indices {
          characteristic.descriptors[place].handle = moved(characteristic.descriptors[place].handle)
        }
        services[index].characteristics[number] = characteristic
      }
    }
  }
}

extension ServiceSpec {
  /// Returns the service with a version as the value of its Firmware Revision, if it has one.
  fileprivate func reporting(_ version: String) -> ServiceSpec {
    guard uuid == .deviceInformation else { return self }
    var service = self
    for index in service.characteristics.indices
    where service.characteristics[index].uuid == FirmwareUUID.firmwareRevision {
      service.characteristics[index].value = Array(version.utf8)
    }
    return service
  }
}

extension SMPSpec {
  fileprivate var service: ServiceSpec {
    ServiceSpec(
      FirmwareUUID.smpService,
      [CharacteristicSpec(FirmwareUUID.smp, [.writeWithoutResponse, .notify], value: [], security: security)])
  }
}

extension DFUSpec {
  /// The service of the running firmware: it jumps, or takes firmware itself.
  fileprivate var applicationService: ServiceSpec {
    guard jumps else { return bootloaderService }
    switch kind {
    case .legacy: return legacyService([1, 0])
    case .secure:
      let characteristic =
        switch buttonless {
        case .plain: CharacteristicSpec(FirmwareUUID.buttonless, [.write, .indicate], value: [])
        case .bonded:
          CharacteristicSpec(
            FirmwareUUID.buttonlessBonded, [.write, .indicate], value: [], security: .encrypted)
        case .experimental:
          CharacteristicSpec(FirmwareUUID.buttonlessExperimental, [.write, .notify], value: [])
        }
      let isExperimental = buttonless == .experimental
      return ServiceSpec(
        isExperimental ? FirmwareUUID.buttonlessExperimental : FirmwareUUID.secureDFUService, [characteristic]
      )
    }
  }

  fileprivate var bootloaderService: ServiceSpec {
    switch kind {
    case .legacy: legacyService([8, 0])
    case .secure:
      ServiceSpec(
        FirmwareUUID.secureDFUService,
        [
          CharacteristicSpec(FirmwareUUID.dfuControl, [.write, .notify], value: []),
          CharacteristicSpec(FirmwareUUID.dfuPacket, .writeWithoutResponse, value: []),
        ])
    }
  }

  /// `version` is that of the service, which tells an application from a boot loader.
  private func legacyService(_ version: [UInt8]) -> ServiceSpec {
    ServiceSpec(
      FirmwareUUID.legacyService,
      [
        CharacteristicSpec(FirmwareUUID.legacyPacket, .writeWithoutResponse, value: []),
        CharacteristicSpec(FirmwareUUID.legacyControl, [.write, .notify], value: []),
        CharacteristicSpec(FirmwareUUID.legacyVersion, .read, value: version),
      ])
  }
}
