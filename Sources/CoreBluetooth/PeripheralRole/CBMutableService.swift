// SPDX-License-Identifier: MIT

/// A service of this machine.
///
/// A published service cannot be changed.
open class CBMutableService: CBService, @unchecked Sendable {
  /// Makes a service without characteristics.
  public init(type UUID: CBUUID, primary isPrimary: Bool) { super.init(uuid: UUID, isPrimary: isPrimary) }

  /// Its included services; BlueZ publishes them together with it.
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
