// SPDX-License-Identifier: MIT
internal import BlueZClient

/// Everything that BlueZ knows about a device at one moment; `org.bluez.Device1`.
public struct PeripheralInfo: Sendable, Hashable {
  /// The device itself.
  public let peripheral: Peripheral
  /// Its address; after pairing the identity address, which may differ from the advertised one.
  public let address: BluetoothAddress
  /// The kind of address; nil for a kind that the library does not know.
  public let addressType: AddressType?
  /// The adapter that knows the device: `hci0`.
  public let adapter: String
  /// The device's name: the alias that a user set in BlueZ, or else the name that the device reports; nil without either.
  public let name: String?
  /// The identity behind a private address; nil for other addresses, and without the key.
  package let identity: PrivateIdentity?
  /// The contents of its advertisements.
  public let advertisement: AdvertisementData
  /// The signal strength of its last advertisement in dBm; nil when none was heard recently.
  ///
  /// Never the strength of a connection.
  public let rssi: Int?
  /// True if the device is connected, by this program or another one.
  public let isConnected: Bool
  /// True if the services of the link are known.
  public let isServicesResolved: Bool
  /// True if the device is paired.
  public let isPaired: Bool
  /// True if the pairing keys are stored.
  public let isBonded: Bool
  /// True if the device may connect by itself.
  public let isTrusted: Bool
  /// True if BlueZ refuses its connections.
  public let isBlocked: Bool
  /// The level that its Battery service reports in percent, while connected.
  public let batteryLevel: Int?
  /// Its BR/EDR Class of Device.
  public let deviceClass: UInt32?
  /// The reason for the end of the last link to the device, if BlueZ (since 5.83) has reported it to this
  /// manager; nil while the device is connected.
  public let linkEnd: LinkEndReason?
  private let formerNames: [String]
  /// The name of an icon that BlueZ derives, such as `phone`.
  public let icon: String?
  /// The device id: `usb:v…p…d…` or `bluetooth:v…p…d…`.
  public let modalias: String?

  /// The kind of a random address; nil for others.
  package var randomKind: RandomAddressKind? { addressType == .random ? address.randomKind : nil }

  /// The key that stays the same when the device changes its private address.
  package var key: DeviceKey { identity.map { .identity($0) } ?? .address(address) }

  /// The address for records that are compared over time: that which the device never changes, if it is known.
  package var lastingAddress: BluetoothAddress { identity?.address ?? address }

  /// The addresses that the device can be meant by: that of its advertisements, and that of its identity.
  package func has(_ address: BluetoothAddress) -> Bool {
    self.address == address || identity?.address == address
  }

  /// All names that the device has or had since this manager knows it, the shown one first.
  package var names: [String] {
    let all = [name, advertisement.localName].compactMap(\.self) + formerNames
    return all.count == 1
      ? all : all.enumerated().filter { !all[..<$0.offset].contains($0.element) }.map(\.element)
  }

  /// The name that the device reports, if it is shown with another one.
  package var reportedName: String? { advertisement.localName == name ? nil : advertisement.localName }

  /// The largest value in bytes that the device accepts in one packet, if the MTU of the link permits.
  ///
  /// 512, the limit of the standard; 510 where ``modalias`` shows a machine with bluetoothd before 5.69,
  /// which refuses longer requests, and drops longer writes without response.
  public var longestWrite: Int { LongestWrite(modalias: modalias).bytes }

  /// The longest value, in bytes, that every device accepts in one packet.
  package static var safeWrite: Int { LongestWrite.safe }

  init?(_ record: borrowing DeviceState, central: CentralManager) {
    guard let address = record.address else { return nil }
    peripheral = Peripheral(address: address, path: record.path, central: central)
    self.address = address
    addressType = record.addressType
    let label = central.naming?.label(of: address, addressType)
    name = label?.name ?? record.displayName
    identity = label?.identity
    formerNames = record.formerNames
    adapter = record.adapterName
    advertisement = AdvertisementData(record)
    rssi = record.rssi.map { Int($0) }
    isConnected = record.isConnected
    isServicesResolved = record.isResolved
    isPaired = record.isPaired
    isBonded = record.isBonded
    isTrusted = record.isTrusted
    isBlocked = record.isBlocked
    batteryLevel = record.batteryLevel.map { Int($0) }
    deviceClass = record.deviceClass
    linkEnd = record.linkEnd
    icon = record.icon
    modalias = record.modalias
  }
}

extension PeripheralInfo {
  /// A changed property of a device; the raw value is the property's name in snake_case.
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

  /// Returns the fields in which two descriptions of a device differ, in a fixed order.
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
