// SPDX-License-Identifier: MIT
// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

// A list of devices that fills itself, and one byte that is sent to one of them.
import CoreBluetooth
import Foundation

/// Prints a line at once, also into a pipe.
func say(_ item: Any) { FileHandle.standardOutput.write(Data("\(item)\n".utf8)) }

final class BluetoothHelper: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
  nonisolated(unsafe) static let shared = BluetoothHelper()

  private var manager: CBCentralManager!
  private var devices: [CBPeripheral] = []
  private var callbacks = 0
  private var chosen: CBPeripheral?

  func start() { manager = CBCentralManager(delegate: self, queue: DispatchQueue.main) }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    switch central.state {
    case .unknown: say("unknown")
    case .resetting: say("resetting")
    case .unsupported: say("unsupported")
    case .unauthorized: say("unauthorized")
    case .poweredOff: say("powered off")
    case .poweredOn:
      say("powered on")
      central.scanForPeripherals(
        withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    @unknown default: say("another state")
    }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    callbacks += 1
    if !devices.contains(where: { $0 === peripheral }) {
      devices.append(peripheral)
      // Names come from the air.
      say("device \(devices.count): \(peripheral.name?.debugDescription ?? "no name")")
    }
    guard callbacks > devices.count + 5, chosen == nil,
      let strap = devices.first(where: { $0.name == "Heart Strap" })
    else { return }
    say("callbacks \(callbacks) for \(devices.count) objects")
    chosen = strap
    central.stopScan()
    central.connect(strap, options: nil)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    say("connected")
    peripheral.delegate = self
    peripheral.discoverServices(nil)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
    for service in peripheral.services ?? [] where service.uuid == CBUUID(string: "180D") {
      peripheral.discoverCharacteristics(nil, for: service)
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?
  ) {
    for characteristic in service.characteristics ?? [] where characteristic.properties.contains(.write) {
      peripheral.writeValue(Data([0x01]), for: characteristic, type: .withResponse)
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: Error?
  ) {
    say(error.map { "failed: \($0.localizedDescription)" } ?? "sent")
  }
}

BluetoothHelper.shared.start()
RunLoop.main.run()
