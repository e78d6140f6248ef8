// SPDX-License-Identifier: MIT
// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

// A computer that sends the date: the other half is the program Central.
import CoreBluetooth
import Foundation

/// Prints a line at once, also into a pipe.
func say(_ item: Any) { FileHandle.standardOutput.write(Data("\(item)\n".utf8)) }

final class PeripheralController: NSObject, CBPeripheralManagerDelegate {
  private let characteristicUUID = CBUUID(string: "FFCC-FFDD")
  private let serviceUUID = CBUUID(string: "FFA0-FFB0")
  private var peripheralManager: CBPeripheralManager!
  private var customCharacteristic: CBMutableCharacteristic!
  private var customService: CBMutableService!
  private var centrals: [CBCentral] = []

  override init() {
    super.init()
    peripheralManager = CBPeripheralManager(delegate: self, queue: nil)
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    switch peripheral.state {
    case .poweredOn:
      say("Bluetooth is on")
      setupService()
    default:
      say("Bluetooth is off, or not supported")
    }
  }

  private func setupService() {
    customCharacteristic = CBMutableCharacteristic(
      type: characteristicUUID, properties: .notify, value: nil, permissions: .readable)
    customService = CBMutableService(type: serviceUUID, primary: true)
    customService.characteristics = [customCharacteristic]
    peripheralManager.add(customService)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?) {
    if let error {
      say("the service was not added: \(error.localizedDescription)")
      return
    }
    say("added \(service.uuid.uuidString)")
    peripheralManager.startAdvertising([CBAdvertisementDataLocalNameKey: "Liuting's Device"])
  }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: Error?) {
    say(error.map { "cannot advertise: \($0.localizedDescription)" } ?? "advertising")
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    say("a central has subscribed to \(characteristic.uuid.uuidString)")
    if !centrals.contains(central) {
      centrals.append(central)
    }
    say("centrals: \(centrals.count)")
    updateCharacteristicValue()
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral,
    didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    say("a central has unsubscribed from \(characteristic.uuid.uuidString)")
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    say("a central writes")
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
    say("restored")
  }

  private func updateCharacteristicValue() {
    let value = "\(Date())"
    if peripheralManager.updateValue(
      Data(value.utf8), for: customCharacteristic, onSubscribedCentrals: nil)
    {
      say("sent \(value)")
    }
  }
}

let controller = PeripheralController()
RunLoop.main.run()
