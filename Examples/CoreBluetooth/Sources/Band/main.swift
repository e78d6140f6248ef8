// SPDX-License-Identifier: MIT
// A wristband: everything that it offers is printed, and one characteristic is read and subscribed to.
import CoreBluetooth
import Foundation

/// Prints a line at once, also into a pipe.
func say(_ item: Any) { FileHandle.standardOutput.write(Data("\(item)\n".utf8)) }

final class Band: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
  private lazy var manager = CBCentralManager(delegate: self, queue: nil)
  private var band: CBPeripheral?

  func start() { _ = manager }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    guard central.state == .poweredOn else {
      say("Bluetooth is not available")
      return
    }
    central.scanForPeripherals(
      withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    guard let name = peripheral.name, name.contains("MI Band 2") else { return }
    say("found \(name)")
    band = peripheral
    central.stopScan()
    central.connect(peripheral, options: nil)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    say("connected")
    peripheral.delegate = self
    peripheral.discoverServices(nil)
  }

  func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?
  ) {
    say("cannot connect: \(error?.localizedDescription ?? "")")
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?
  ) {
    say("disconnected")
    central.connect(peripheral, options: nil)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
    for service in peripheral.services ?? [] {
      say(service)
      peripheral.discoverCharacteristics(nil, for: service)
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?
  ) {
    for characteristic in service.characteristics ?? [] {
      say(characteristic)
      if characteristic.uuid.uuidString == "FED3" {
        peripheral.readValue(for: characteristic)
        peripheral.setNotifyValue(true, for: characteristic)
      }
      if characteristic.uuid.uuidString == "2A37" {
        peripheral.setNotifyValue(true, for: characteristic)
      }
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?
  ) {
    let value = (characteristic.value ?? Data()) as NSData
    say("value of \(characteristic.uuid.uuidString): \(value)")
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: Error?
  ) {
    let state = error?.localizedDescription ?? "\(characteristic.isNotifying)"
    say("notification state of \(characteristic.uuid.uuidString): \(state)")
  }
}

let band = Band()
band.start()
RunLoop.main.run()
