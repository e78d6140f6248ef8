// SPDX-License-Identifier: MIT
public import Foundation

/// The delegate of a central manager; only the state change must be implemented.
public protocol CBCentralManagerDelegate: NSObjectProtocol {
  /// The availability of Bluetooth changed, or is known for the first time.
  func centralManagerDidUpdateState(_ central: CBCentralManager)
  /// The system restored a manager; never called on Linux.
  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any])
  /// A peripheral was heard; the RSSI is in dBm, or 127 if BlueZ does not know it.
  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber)
  /// A link was established, and its services can be discovered.
  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral)
  /// A link could not be established, and there will be no further attempt.
  func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?)
  /// A link ended, without an error if the program requested it.
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?)
  /// A link ended; if implemented, replaces the method without a timestamp.
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: (any Error)?)
  /// A link of any program was established or ended, after `registerForConnectionEvents`.
  func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent,
    for peripheral: CBPeripheral)
  /// The authorization for the notification center of iOS changed; never called on Linux.
  func centralManager(
    _ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral)
}

extension CBCentralManagerDelegate {
  private func defaultTookCall(_ method: String = #function) {
    InheritedConformance.defaultTookCall(of: self, to: "CBCentralManagerDelegate", method) {
      $0 is any CBCentralManagerDelegate.Type
    }
  }

  /// Does nothing.
  public func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
    defaultTookCall()
  }
  /// Does nothing.
  public func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) { defaultTookCall() }
  /// Does nothing.
  public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    defaultTookCall()
  }
  /// Does nothing.
  public func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) { defaultTookCall() }
  /// Does nothing.
  public func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) { defaultTookCall() }
  /// Calls the method without a timestamp.
  public func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: (any Error)?
  ) {
    defaultTookCall()
    centralManager(central, didDisconnectPeripheral: peripheral, error: error)
  }
  /// Does nothing.
  public func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent,
    for peripheral: CBPeripheral
  ) { defaultTookCall() }
  /// Does nothing.
  public func centralManager(
    _ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral
  ) { defaultTookCall() }
}
