// SPDX-License-Identifier: MIT
internal import BLEPeripheral

/// A service of this machine.
///
/// A published service cannot be changed.
///
/// It is Sendable because its state is locked.
open class CBMutableService: CBService, @unchecked Sendable {
  /// The service without contents: all definitions of this object are of the same service.
  let identity: LocalService

  /// Makes a service without characteristics.
  public init(type UUID: CBUUID, primary isPrimary: Bool) {
    identity = LocalService(UUID.value, [], isPrimary: isPrimary)
    super.init(uuid: UUID, isPrimary: isPrimary)
  }

  /// Its included services; the manager publishes them with it, unless the program has done so before.
  open override var includedServices: [CBService]? {
    get { super.includedServices }
    set { setIncludedServices(newValue) }
  }

  /// Its characteristics.
  open override var characteristics: [CBCharacteristic]? {
    get { super.characteristics }
    set {
      setCharacteristics(newValue)
      for characteristic in newValue ?? [] { characteristic.setService(self) }
    }
  }
}
