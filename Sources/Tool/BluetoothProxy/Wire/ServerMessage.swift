// SPDX-License-Identifier: MIT
package import BLEFormats

/// A message to a client of the proxy.
package enum ServerMessage: Sendable, Hashable {
  case hello(APIVersion, serverInfo: String, name: String)
  case authentication
  /// The proxy wants the connection to end.
  case disconnect
  /// The answer to the client's wish that the connection end.
  case disconnected
  case ping
  /// The answer to the client's ping.
  case pong
  case deviceInfo(DeviceInfo)
  case listEntitiesDone
  case advertisements([ForwardedAdvertisement])
  case scannerState(ScannerState, mode: ScannerMode, configured: ScannerMode)
  /// The state of a link; `error` is 0, or the reason why there is none.
  case connection(BluetoothAddress, isConnected: Bool, mtu: UInt32, error: Int32)
  /// Some services of a device; several messages make one list. Short UUIDs need ``APIVersion/shortUUIDs`` of the
  /// client.
  case services(BluetoothAddress, [ForwardedService], usesShortUUIDs: Bool)
  case servicesDone(BluetoothAddress)
  case read(RemoteAttribute, [UInt8])
  case written(RemoteAttribute)
  case notifying(RemoteAttribute)
  case notification(RemoteAttribute, [UInt8])
  case connectionsFree(free: UInt32, limit: UInt32, allocated: [BluetoothAddress])
  /// The request for an attribute has failed, with an ATT error or -1: not connected. The handle is that of the
  /// request.
  case failed(RemoteAttribute, error: Int32)
  /// The failure of a request with numbers out of range.
  case impossible(ImpossibleRequest)
  case paired(BluetoothAddress, isPaired: Bool, error: Int32)
  case unpaired(BluetoothAddress, isDone: Bool, error: Int32)
  case cacheCleared(BluetoothAddress, isDone: Bool, error: Int32)
  case connectionParameters(BluetoothAddress, error: Int32)
  case capabilities(FeatureFlags, bluetoothAddress: BluetoothAddress)
  case keySet(isDone: Bool)

  /// The state of a scanner.
  package enum ScannerState: UInt32, Sendable, Hashable, CaseIterable {
    case idle = 0
    case starting = 1
    case running = 2
    case failed = 3
    case stopping = 4
    case stopped = 5
  }
}

/// The abilities of a proxy.
package struct FeatureFlags: OptionSet, Sendable, Hashable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let passiveScan = FeatureFlags(rawValue: 1)
  package static let connections = FeatureFlags(rawValue: 2)
  /// Clients keep the services of a device, and enable notifications in its descriptor themselves; without it, they
  /// do not connect.
  package static let remoteCaching = FeatureFlags(rawValue: 4)
  package static let pairing = FeatureFlags(rawValue: 8)
  package static let cacheClearing = FeatureFlags(rawValue: 16)
  package static let rawAdvertisements = FeatureFlags(rawValue: 32)
  package static let stateAndMode = FeatureFlags(rawValue: 64)
  package static let connectionParameters = FeatureFlags(rawValue: 128)
}

/// The facts that a client shows of the proxy, and tells proxies apart by.
package struct DeviceInfo: Sendable, Hashable {
  package var name: ProxyName
  /// Tells this proxy from others for ever.
  package var address: BluetoothAddress
  /// The release of ESPHome whose API is spoken.
  package var esphomeVersion: String
  package var model: String
  package var manufacturer: String
  /// Of the form `maker.product`.
  package var projectName: String
  package var projectVersion: String
  /// The name for people.
  package var friendlyName: String
  package var features: FeatureFlags
  /// The address of the adapter.
  package var bluetoothAddress: BluetoothAddress
  package var isEncrypted: Bool

  package init(
    name: ProxyName, address: BluetoothAddress, esphomeVersion: String, model: String, manufacturer: String,
    projectName: String, projectVersion: String, friendlyName: String, features: FeatureFlags,
    bluetoothAddress: BluetoothAddress, isEncrypted: Bool
  ) {
    (self.name, self.address, self.esphomeVersion) = (name, address, esphomeVersion)
    (self.model, self.manufacturer) = (model, manufacturer)
    (self.projectName, self.projectVersion) = (projectName, projectVersion)
    (self.friendlyName, self.features) = (friendlyName, features)
    (self.bluetoothAddress, self.isEncrypted) = (bluetoothAddress, isEncrypted)
  }
}

/// An advertisement as it goes to clients.
package struct ForwardedAdvertisement: Sendable, Hashable {
  package let address: BluetoothAddress
  package let addressType: AddressType
  /// The strength of the signal in dBm.
  package let rssi: Int16
  /// The AD structures.
  package let data: [UInt8]

  package init(address: BluetoothAddress, addressType: AddressType, rssi: Int16, data: [UInt8]) {
    (self.address, self.addressType, self.rssi, self.data) = (address, addressType, rssi, data)
  }
}

/// A service as it goes to clients.
package struct ForwardedService: Sendable, Hashable {
  package let uuid: BluetoothUUID
  package let handle: UInt16
  package let characteristics: [ForwardedCharacteristic]

  package init(uuid: BluetoothUUID, handle: UInt16, characteristics: [ForwardedCharacteristic]) {
    (self.uuid, self.handle, self.characteristics) = (uuid, handle, characteristics)
  }
}

/// A characteristic as it goes to clients.
package struct ForwardedCharacteristic: Sendable, Hashable {
  package let uuid: BluetoothUUID
  /// The handle of its value.
  package let handle: UInt16
  /// The bits of its declaration.
  package let properties: UInt8
  package let descriptors: [ForwardedDescriptor]

  package init(uuid: BluetoothUUID, handle: UInt16, properties: UInt8, descriptors: [ForwardedDescriptor]) {
    (self.uuid, self.handle, self.properties) = (uuid, handle, properties)
    self.descriptors = descriptors
  }
}

/// A descriptor as it goes to clients.
package struct ForwardedDescriptor: Sendable, Hashable {
  package let uuid: BluetoothUUID
  package let handle: UInt16

  package init(uuid: BluetoothUUID, handle: UInt16) { (self.uuid, self.handle) = (uuid, handle) }
}
