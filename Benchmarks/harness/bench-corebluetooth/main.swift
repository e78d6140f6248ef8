// SPDX-License-Identifier: MIT
import CoreBluetooth

/// Counts notifications of the characteristic 2A37 of the device that BlueZ is connected to, the way that a program for
/// Apple's framework does.
final class Tally: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  private let wanted: Int
  private var manager: CBCentralManager?
  private var peripheral: CBPeripheral?
  private var (values, bytes, sum) = (0, 0, 0)

  init(_ wanted: Int) {
    self.wanted = wanted
    super.init()
    manager = CBCentralManager(delegate: self, queue: nil)
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    guard central.state == .poweredOn else { return }
    peripheral = central.retrieveConnectedPeripherals(withServices: [CBUUID(string: "180D")]).first
    if let peripheral { central.connect(peripheral) }
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.delegate = self
    peripheral.discoverServices([CBUUID(string: "180D")])
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    for service in peripheral.services ?? [] {
      peripheral.discoverCharacteristics([CBUUID(string: "2A37")], for: service)
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    for characteristic in service.characteristics ?? [] {
      peripheral.setNotifyValue(true, for: characteristic)
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    guard let value = characteristic.value else { return }
    values += 1
    bytes += value.count
    for byte in value { sum += Int(byte) }
    guard values == wanted else { return }
    print(values, bytes, sum)
    exit(0)
  }
}

let tally = Tally(CommandLine.arguments.last.flatMap { Int($0) } ?? 100_000)
RunLoop.main.run()
