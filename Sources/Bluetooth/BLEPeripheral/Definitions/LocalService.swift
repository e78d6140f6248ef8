// SPDX-License-Identifier: MIT

/// The definition of a service of this machine, which ``PeripheralManager/add(_:timeout:)->PublishedService`` publishes.
///
/// The equivalent in CoreBluetooth is `CBMutableService`. BlueZ: `org.bluez.GattService1`, exported by this
/// program.
public struct LocalService: Sendable, Identifiable {
  /// Tells a service from another one with the same contents.
  public struct ID: Hashable, Sendable {
    private let number = UInt64.random(in: .min ... .max)
  }

  /// The identity of the service, which changed copies of the value share.
  ///
  /// A service that is published once can be included by several others.
  public let id = ID()
  /// The UUID, which tells the kind of service.
  public var uuid: BluetoothUUID
  /// True if it is a primary service; centrals find a secondary one only through a service that includes it.
  public var isPrimary: Bool
  /// Its characteristics, in the order of their handles.
  public var characteristics: [LocalCharacteristic]
  /// Its included services, which are published together with it.
  public var includedServices: [LocalService]
  /// The handle of its declaration; nil lets BlueZ choose one.
  ///
  /// BlueZ never reuses an automatic handle while it runs. With fixed handles, a restarted program offers the
  /// same layout, so that centrals can keep theirs.
  public var handle: UInt16?

  /// Makes a service.
  ///
  /// - Parameters:
  ///   - uuid: the UUID; 1800 and 1801 are reserved for BlueZ.
  ///   - characteristics: its characteristics.
  ///   - isPrimary: whether it is a primary service.
  ///   - includedServices: its included services.
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
