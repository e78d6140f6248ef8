// SPDX-License-Identifier: MIT

/// Everything that BlueZ knows about a device at one moment; `org.bluez.Device1`.
public struct PeripheralInfo: Sendable, Hashable {
  /// The device itself.
  public let peripheral: Peripheral
  /// Its address; after pairing the identity address, which may differ from the one that was advertised.
  public let address: BluetoothAddress
  /// What kind of address it is; nil when the library does not know it.
  public let addressType: AddressType?
  /// The adapter that knows the device: `hci0`.
  public let adapter: String
  /// What the device advertises.
  public let advertisement: AdvertisementData
  /// The strength of its last advertisement in dBm; nil when none was heard recently.
  ///
  /// Never the strength of a connection.
  public let rssi: Int?
  /// Whether the device is connected, by this program or another one.
  public let isConnected: Bool
  /// Whether the services of the link are known.
  public let isServicesResolved: Bool
  /// Whether the device is paired.
  public let isPaired: Bool
  /// Whether the keys of the pairing are kept.
  public let isBonded: Bool
  /// Whether the device may connect by itself.
  public let isTrusted: Bool
  /// Whether connections are refused.
  public let isBlocked: Bool
  /// The level of the Battery service in percent, while connected.
  public let batteryLevel: Int?
  /// The Class of Device of BR/EDR.
  public let deviceClass: UInt32?
  /// The name of an icon, which BlueZ derives: `phone`.
  public let icon: String?
  /// The device id: `usb:v…p…d…` or `bluetooth:v…p…d…`.
  public let modalias: String?

  /// The name of the device, or the alias that a user has set; nil without either.
  public var name: String? { advertisement.localName }

  /// The most bytes of a value that the device takes in one packet, if the link carries as many.
  ///
  /// 512, as the standard says; 510 where the device is a machine with bluetoothd before 5.69, as its ``modalias`` says: that
  /// refuses longer requests, and drops longer writes without response.
  public var longestWrite: Int { LongestWrite(modalias: modalias).bytes }

  init?(_ record: DeviceState, central: CentralManager) {
    guard let address = record.address else { return nil }
    peripheral = Peripheral(address: address, path: record.path, central: central)
    self.address = address
    addressType = record.addressType.flatMap { AddressType(rawValue: $0) }
    adapter = BlueZ.adapterName(ofPath: record.adapterPath)
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
    icon = record.icon
    modalias = record.modalias
  }
}
