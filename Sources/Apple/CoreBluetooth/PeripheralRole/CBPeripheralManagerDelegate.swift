// SPDX-License-Identifier: MIT
public import Foundation

/// The delegate of a peripheral manager; only the state change must be implemented.
public protocol CBPeripheralManagerDelegate: NSObjectProtocol {
  /// The availability of Bluetooth changed, or is known for the first time.
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager)
  /// The system restored a manager; never called on Linux.
  func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any])
  /// Reports the result of `startAdvertising`.
  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?)
  /// Reports the result of `add`.
  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?)
  /// A central subscribed.
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic)
  /// A central unsubscribed, or is gone.
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  )
  /// A central reads; `respond` must answer within 500 ms on Linux.
  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest)
  /// A central writes; `respond` to the first request must answer within 500 ms on Linux.
  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest])
  /// There is room again after `updateValue` returned false.
  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager)
  /// Reports the result of `publishL2CAPChannel`, with the number that centrals use.
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?)
  /// Reports the result of `unpublishL2CAPChannel`.
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?)
  /// A central opened a channel; with an error, none can be opened any more.
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?)
}

extension CBPeripheralManagerDelegate {
  private func defaultTookCall(_ method: String = #function) {
    InheritedConformance.defaultTookCall(of: self, to: "CBPeripheralManagerDelegate", method) {
      $0 is any CBPeripheralManagerDelegate.Type
    }
  }

  /// Does nothing.
  public func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
    defaultTookCall()
  }
  /// Does nothing.
  public func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    defaultTookCall()
  }
  /// Does nothing.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?
  ) { defaultTookCall() }
  /// Does nothing.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) { defaultTookCall() }
  /// Does nothing.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) { defaultTookCall() }
  /// Refuses.
  public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    defaultTookCall()
    peripheral.respond(to: request, withResult: .requestNotSupported)
  }
  /// Refuses.
  public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    defaultTookCall()
    if let first = requests.first { peripheral.respond(to: first, withResult: .requestNotSupported) }
  }
  /// Does nothing.
  public func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
    defaultTookCall()
  }
  /// Does nothing.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) { defaultTookCall() }
  /// Does nothing.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) { defaultTookCall() }
  /// Does nothing.
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?
  ) { defaultTookCall() }
}
