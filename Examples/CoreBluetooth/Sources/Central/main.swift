// SPDX-License-Identifier: MIT
// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

// A computer that prints the date that another one sends: the program Peripheral.
import CoreBluetooth
import Foundation

/// Prints a line at once, also into a pipe.
func say(_ item: Any) { FileHandle.standardOutput.write(Data("\(item)\n".utf8)) }

final class CentralController: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
  private let characteristicUUID = CBUUID(string: "FFCC-FFDD")
  private let serviceUUID = CBUUID(string: "FFA0-FFB0")
  private var centralManager: CBCentralManager!
  private var peripherals: [CBPeripheral] = []

  override init() {
    super.init()
    centralManager = CBCentralManager(delegate: self, queue: nil)
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    switch central.state {
    case .poweredOn:
      say("Bluetooth is on")
      central.scanForPeripherals(withServices: nil, options: nil)
    default:
      say("Bluetooth is off, or not supported")
    }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    guard peripheral.name == "Liuting's Device" else { return }
    if !peripherals.contains(peripheral) {
      peripherals.append(peripheral)
    }
    say("found \(peripheral.name ?? "")")
    central.connect(peripheral, options: nil)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    say("connected")
    central.stopScan()
    peripheral.delegate = self
    peripheral.discoverServices([serviceUUID])
  }

  func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?
  ) {
    say("cannot connect: \(error?.localizedDescription ?? "")")
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
    if let error {
      say("cannot discover services: \(error.localizedDescription)")
      return
    }
    for service in peripheral.services ?? [] where service.uuid == serviceUUID {
      say("found service \(service.uuid.uuidString)")
      peripheral.discoverCharacteristics(nil, for: service)
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?
  ) {
    for characteristic in service.characteristics ?? [] where characteristic.uuid == characteristicUUID {
      say("found characteristic \(characteristic.uuid.uuidString)")
      peripheral.setNotifyValue(true, for: characteristic)
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: Error?
  ) {
    say("notifying: \(characteristic.isNotifying)")
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?
  ) {
    guard let value = characteristic.value, let text = String(data: value, encoding: .utf8) else {
      say("no value")
      return
    }
    say("received \(text)")
  }
}

let controller = CentralController()
RunLoop.main.run()
