// SPDX-License-Identifier: MIT
// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

// A list of devices that fills itself, and one byte that is sent to one of them.
import CoreBluetooth
import Foundation

final class BluetoothHelper: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
  nonisolated(unsafe) static let shared = BluetoothHelper()

  private var manager: CBCentralManager!
  private var devices: [CBPeripheral] = []
  private var callbacks = 0
  private var chosen: CBPeripheral?

  func start() { manager = CBCentralManager(delegate: self, queue: DispatchQueue.main) }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    switch central.state {
    case .unknown: print("unknown")
    case .resetting: print("resetting")
    case .unsupported: print("unsupported")
    case .unauthorized: print("unauthorized")
    case .poweredOff: print("powered off")
    case .poweredOn:
      print("powered on")
      central.scanForPeripherals(
        withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    @unknown default: print("another state")
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
      print("device \(devices.count): \(peripheral.name?.debugDescription ?? "no name")")
    }
    guard callbacks > devices.count + 5, chosen == nil,
      let strap = devices.first(where: { $0.name == "Heart Strap" })
    else { return }
    print("callbacks \(callbacks) for \(devices.count) objects")
    chosen = strap
    central.stopScan()
    central.connect(strap, options: nil)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    print("connected")
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
    print(error.map { "failed: \($0.localizedDescription)" } ?? "sent")
  }
}

setvbuf(stdout, nil, _IOLBF, 0)
BluetoothHelper.shared.start()
RunLoop.main.run()
