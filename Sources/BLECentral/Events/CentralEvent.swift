// SPDX-License-Identifier: MIT

/// An event in BlueZ, caused by this program, another one, or a device.
public struct CentralEvent: Sendable, Hashable {
  /// The kinds of events, with their objects.
  public enum Kind: Sendable, Hashable {
    /// BlueZ has learnt of a device.
    case found(PeripheralInfo)
    /// BlueZ has forgotten a device, or has ended itself.
    case lost(PeripheralInfo)
    /// A link to the device was opened.
    case connected(PeripheralInfo)
    /// The link to the device has ended.
    case disconnected(PeripheralInfo)
    /// Properties of the device, at least one, have changed; links have events of their own.
    case changed(PeripheralInfo, [PeripheralInfo.Field])
    /// A characteristic has a value: a program has read it, or the device has sent it.
    case value(PeripheralInfo, GATTCharacteristic, [UInt8])
    /// An adapter was plugged in.
    case adapterAdded(Adapter)
    /// An adapter was removed.
    case adapterRemoved(Adapter)
    /// An adapter was switched on or off, started or stopped scanning, or was renamed.
    case adapterChanged(Adapter)
    /// Whether Bluetooth can be used has changed.
    case state(BluetoothState)
    /// The number of events that were dropped before this one because the reader is too slow.
    case missed(Int)
  }

  /// What happened.
  public let kind: Kind
  /// When it was read from the bus.
  public let time: Timestamp
}

extension PeripheralInfo {
  /// A property of a device that has changed; the raw value is its name in snake_case.
  public enum Field: String, Sendable, Hashable, CaseIterable {
    /// ``PeripheralInfo/name``.
    case name
    /// ``PeripheralInfo/address``.
    case address
    /// ``PeripheralInfo/addressType``.
    case addressType = "address_type"
    /// ``PeripheralInfo/rssi``.
    case rssi
    /// ``AdvertisementData/txPower``.
    case txPower = "tx_power"
    /// ``AdvertisementData/serviceUUIDs``.
    case services
    /// ``AdvertisementData/manufacturerData``.
    case manufacturerData = "manufacturer_data"
    /// ``AdvertisementData/serviceData``.
    case serviceData = "service_data"
    /// ``AdvertisementData/flags``.
    case flags
    /// ``AdvertisementData/appearance``.
    case appearance
    /// ``PeripheralInfo/isServicesResolved``.
    case servicesResolved = "services_resolved"
    /// ``PeripheralInfo/isPaired``.
    case paired
    /// ``PeripheralInfo/isBonded``.
    case bonded
    /// ``PeripheralInfo/isTrusted``.
    case trusted
    /// ``PeripheralInfo/isBlocked``.
    case blocked
    /// ``PeripheralInfo/batteryLevel``.
    case batteryLevel = "battery_level"
    /// ``PeripheralInfo/deviceClass``.
    case deviceClass = "class"
    /// ``PeripheralInfo/icon``.
    case icon
    /// ``PeripheralInfo/modalias``.
    case modalias
  }

  /// The fields in which two descriptions of a device differ, in a fixed order.
  func differences(from other: PeripheralInfo) -> [Field] {
    Field.allCases.filter { !isEqual(to: other, in: $0) }
  }

  private func isEqual(to other: PeripheralInfo, in field: Field) -> Bool {
    let (ours, theirs) = (advertisement, other.advertisement)
    return switch field {
    case .name: name == other.name
    case .address: address == other.address
    case .addressType: addressType == other.addressType
    case .rssi: rssi == other.rssi
    case .txPower: ours.txPower == theirs.txPower
    case .services: ours.serviceUUIDs == theirs.serviceUUIDs
    case .manufacturerData: ours.manufacturerData == theirs.manufacturerData
    case .serviceData: ours.serviceData == theirs.serviceData
    case .flags: ours.flags == theirs.flags
    case .appearance: ours.appearance == theirs.appearance
    case .servicesResolved: isServicesResolved == other.isServicesResolved
    case .paired: isPaired == other.isPaired
    case .bonded: isBonded == other.isBonded
    case .trusted: isTrusted == other.isTrusted
    case .blocked: isBlocked == other.isBlocked
    case .batteryLevel: batteryLevel == other.batteryLevel
    case .deviceClass: deviceClass == other.deviceClass
    case .icon: icon == other.icon
    case .modalias: modalias == other.modalias
    }
  }
}
