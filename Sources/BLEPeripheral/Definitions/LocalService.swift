// SPDX-License-Identifier: MIT

/// A service that this machine offers: a value, which ``PeripheralManager/add(_:timeout:)`` publishes.
///
/// CoreBluetooth calls it `CBMutableService`. BlueZ: `org.bluez.GattService1`, exported by this program.
public struct LocalService: Sendable {
  /// What kind of service it is.
  public var uuid: BluetoothUUID
  /// Whether centrals find it by themselves; a secondary service is only found through one that includes it.
  public var isPrimary: Bool
  /// Its characteristics, in the order in which they get their handles.
  public var characteristics: [LocalCharacteristic]
  /// The services that it includes; they are published with it, as services of their own.
  public var includedServices: [LocalService]
  /// The handle of its declaration; nil lets BlueZ choose one.
  ///
  /// BlueZ never uses an automatic handle again while it runs. With fixed handles, a program that is restarted offers
  /// the same layout again, so that centrals can keep theirs.
  public var handle: UInt16?

  /// Makes a service.
  ///
  /// - Parameters:
  ///   - uuid: the kind of service. 1800 and 1801 belong to BlueZ.
  ///   - characteristics: its characteristics.
  ///   - isPrimary: whether centrals find it by themselves.
  ///   - includedServices: the services that it includes.
  ///   - handle: the handle of its declaration; nil lets BlueZ choose one.
  public init(
    _ uuid: BluetoothUUID, _ characteristics: [LocalCharacteristic], isPrimary: Bool = true,
    includedServices: [LocalService] = [], handle: UInt16? = nil
  ) {
    self.uuid = uuid
    self.characteristics = characteristics
    self.isPrimary = isPrimary
    self.includedServices = includedServices
    self.handle = handle
  }
}
