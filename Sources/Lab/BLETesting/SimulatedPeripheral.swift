// SPDX-License-Identifier: MIT
internal import BLEWorld

/// A peripheral of a simulated world: its advertisements and its services.
///
/// World files can describe more, such as pairing and scan responses.
public struct SimulatedPeripheral: Sendable, Equatable {
  /// The name that it advertises.
  public var name: String
  /// Its address, such as `C0:FF:EE:00:00:01`; nil for one that the world chooses.
  public var address: String?
  /// The services that it advertises; nil for all that it has.
  public var advertisedServices: [BluetoothUUID]?
  /// The data that it advertises, by company identifier.
  public var manufacturerData: [UInt16: [UInt8]]
  /// Its average signal strength, from -127 to 20 dBm.
  public var rssi: Int
  /// True if it accepts connections.
  public var isConnectable: Bool
  /// Its services, besides Generic Access.
  public var services: [SimulatedService]
  /// The faults that apply from the start.
  public var faults: [PeripheralFault]

  /// Creates a peripheral; each parameter sets the property of its name.
  public init(
    _ name: String, address: String? = nil, advertisedServices: [BluetoothUUID]? = nil,
    manufacturerData: [UInt16: [UInt8]] = [:], rssi: Int = -60, isConnectable: Bool = true,
    services: [SimulatedService] = [], faults: [PeripheralFault] = []
  ) {
    self.name = name
    self.address = address
    self.advertisedServices = advertisedServices
    self.manufacturerData = manufacturerData
    self.rssi = rssi
    self.isConnectable = isConnectable
    self.services = services
    self.faults = faults
  }

  func spec(address other: String) -> PeripheralSpec {
    PeripheralSpec(
      address: (address ?? other).uppercased(),
      advertisement: AdvertisementSpec(
        name: name, services: advertisedServices ?? services.map(\.uuid),
        manufacturerData: manufacturerData.sorted { $0.key < $1.key }
          .map { AdvertisementSpec.ManufacturerData(company: $0.key, bytes: $0.value) },
        isConnectable: isConnectable, rssi: Int16(clamping: rssi)),
      services: services.map(\.spec), faults: faults.map(\.action))
  }
}

/// A service of a simulated peripheral.
public struct SimulatedService: Sendable, Equatable {
  /// Its UUID.
  public var uuid: BluetoothUUID
  /// Its characteristics, in the order of their handles.
  public var characteristics: [SimulatedCharacteristic]

  /// Creates a primary service; each parameter sets the property of its name.
  public init(_ uuid: BluetoothUUID, _ characteristics: [SimulatedCharacteristic]) {
    self.uuid = uuid
    self.characteristics = characteristics
  }

  var spec: ServiceSpec { ServiceSpec(uuid, characteristics.map(\.spec)) }
}
