// SPDX-License-Identifier: MIT
public import Foundation

/// The delegate of a peripheral; all methods are optional.
public protocol CBPeripheralDelegate: NSObjectProtocol {
  /// The name of the peripheral changed.
  func peripheralDidUpdateName(_ peripheral: CBPeripheral)
  /// Services are gone, or changed: discover them again.
  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService])
  /// The signal strength of the link, before iOS 8; never called.
  func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?)
  /// Reports the result of `readRSSI`; an error on Linux, since BlueZ does not know the strength of a link.
  func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?)
  /// Reports the result of `discoverServices`.
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?)
  /// Reports the result of `discoverIncludedServices`.
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?)
  /// Reports the result of `discoverCharacteristics`.
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?)
  /// A value was read, or the peripheral sent one by itself.
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
  /// The peripheral confirmed or refused a write with response.
  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
  /// Reports the result of `setNotifyValue`.
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
    error: (any Error)?)
  /// Reports the result of `discoverDescriptors`.
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic,
    error: (any Error)?)
  /// The value of a descriptor was read.
  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?)
  /// The value of a descriptor was written.
  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?)
  /// There is room again for writes without response.
  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral)
  /// Reports the result of `openL2CAPChannel`.
  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?)
}

extension CBPeripheralDelegate {
  private func defaultTookCall(_ method: String = #function) {
    InheritedConformance.defaultTookCall(of: self, to: "CBPeripheralDelegate", method) {
      $0 is any CBPeripheralDelegate.Type
    }
  }

  /// Does nothing.
  public func peripheralDidUpdateName(_ peripheral: CBPeripheral) { defaultTookCall() }
  /// Does nothing.
  public func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    defaultTookCall()
  }
  /// Does nothing.
  public func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?) { defaultTookCall() }
  /// Does nothing.
  public func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
    defaultTookCall()
  }
  /// Does nothing.
  public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    defaultTookCall()
  }
  /// Does nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
  ) { defaultTookCall() }
  /// Does nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) { defaultTookCall() }
  /// Does nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) { defaultTookCall() }
  /// Does nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) { defaultTookCall() }
  /// Does nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) { defaultTookCall() }
  /// Does nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) { defaultTookCall() }
  /// Does nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?
  ) { defaultTookCall() }
  /// Does nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?
  ) { defaultTookCall() }
  /// Does nothing.
  public func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { defaultTookCall() }
  /// Does nothing.
  public func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    defaultTookCall()
  }
}
