// SPDX-License-Identifier: MIT
internal import BLEWorld

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
