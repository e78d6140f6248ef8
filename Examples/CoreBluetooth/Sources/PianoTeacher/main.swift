// SPDX-License-Identifier: MIT
// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

// A piano: its keys are printed, and 115 of its lamps are lit, one after the other.
import CoreBluetooth
import Foundation

/// Prints a line at once, also into a pipe.
func say(_ item: Any) { FileHandle.standardOutput.write(Data("\(item)\n".utf8)) }

final class PianoTeacher: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
  private var manager: CBCentralManager!
  private var piano: CBPeripheral?
  private var state = CBManagerState.unknown
  private var confirmed = 0
  private let formatter = DateFormatter()

  override init() {
    super.init()
    formatter.dateFormat = "yyyy-MM-dd HH:mm:ss.SSSSSSZ"
    manager = CBCentralManager(delegate: self, queue: nil)
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    state = central.state
    guard state == .poweredOn else { return }
    scan()
  }

  private func scan() {
    manager.stopScan()
    manager.scanForPeripherals(withServices: nil, options: nil)
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    guard peripheral.name == "Piano" else { return }
    piano = peripheral
    central.stopScan()
    central.connect(peripheral, options: nil)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    say("connected to \(peripheral.name ?? "")")
    peripheral.delegate = self
    peripheral.discoverServices(nil)
  }

  func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?
  ) {
    central.connect(peripheral, options: nil)
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?
  ) {
    say("disconnected: \(error?.localizedDescription ?? "")")
    central.connect(peripheral, options: nil)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
    for service in peripheral.services ?? [] {
      if service.uuid.uuidString == "FFE0" || service.uuid.uuidString == "FFE1" {
        peripheral.discoverCharacteristics(nil, for: service)
      }
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?
  ) {
    for characteristic in service.characteristics ?? [] {
      if characteristic.uuid.uuidString == "FFE2" {
        peripheral.setNotifyValue(true, for: characteristic)
      }
      if characteristic.uuid.uuidString == "FFE3" {
        confirmed = 0
        for lamp in 0..<115 {
          let bytes: [UInt8] = [0xf0, 0x3d, 0x3d, UInt8(lamp), 0x02, 0xf7]
          peripheral.writeValue(Data(bytes), for: characteristic, type: .withResponse)
        }
      }
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: Error?
  ) {
    confirmed += 1
    if confirmed == 115 { say("115 lamps are lit") }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?
  ) {
    say("\(formatter.string(from: Date())) \((characteristic.value ?? Data()) as NSData)")
  }
}

let teacher = PianoTeacher()
RunLoop.main.run()
