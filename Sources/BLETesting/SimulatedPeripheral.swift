// SPDX-License-Identifier: MIT
internal import BLEWorld

/// A peripheral of a simulated world: what it advertises, and what it serves.
///
/// What is not here, such as pairing and scan responses, can stand in a world file.
public struct SimulatedPeripheral: Sendable, Hashable {
  /// The name that it advertises.
  public var name: String
  /// Its address, such as `C0:FF:EE:00:00:01`; nil for one that the world chooses.
  public var address: String?
  /// The services that it advertises; nil for all that it has.
  public var advertisedServices: [BluetoothUUID]?
  /// The data that it advertises, by the identifiers of companies.
  public var manufacturerData: [UInt16: [UInt8]]
  /// The average strength of its signal, from -127 to 20 dBm.
  public var rssi: Int
  /// Whether it accepts connections.
  public var isConnectable: Bool
  /// Its services, besides Generic Access.
  public var services: [SimulatedService]
  /// The faults that it begins with.
  public var faults: [PeripheralFault]

  /// A peripheral.
  ///
  /// - Parameters:
  ///   - name: the name that it advertises.
  ///   - address: its address; nil for one that the world chooses.
  ///   - advertisedServices: the services that it advertises; nil for all that it has.
  ///   - manufacturerData: the data that it advertises, by the identifiers of companies.
  ///   - rssi: the average strength of its signal, from -127 to 20 dBm.
  ///   - isConnectable: whether it accepts connections.
  ///   - services: its services, besides Generic Access.
  ///   - faults: the faults that it begins with.
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
