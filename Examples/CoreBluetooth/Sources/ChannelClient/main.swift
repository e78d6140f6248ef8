// SPDX-License-Identifier: MIT
// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

// A central that opens the L2CAP channel of ChannelServer, sends 20,000 bytes, and compares what comes back.
import CoreBluetooth
import Foundation

/// Prints a line at once, also into a pipe.
func say(_ item: Any) { FileHandle.standardOutput.write(Data("\(item)\n".utf8)) }

final class ChannelClient: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, StreamDelegate {
  private let service = CBUUID(string: "71DC")
  private var manager: CBCentralManager!
  private var peripheral: CBPeripheral?
  private var channel: CBL2CAPChannel?
  private let message = Data((0..<20_000).map { UInt8($0 % 251) })
  private var sent = 0
  private var answer = Data()

  override init() {
    super.init()
    manager = CBCentralManager(delegate: self, queue: nil)
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { central.scanForPeripherals(withServices: [service]) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    guard self.peripheral == nil else { return }
    self.peripheral = peripheral
    peripheral.delegate = self
    central.stopScan()
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.discoverServices([service])
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
    for service in peripheral.services ?? [] {
      peripheral.discoverCharacteristics([CBUUID(string: CBUUIDL2CAPPSMCharacteristicString)], for: service)
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?
  ) {
    for characteristic in service.characteristics ?? [] { peripheral.readValue(for: characteristic) }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?
  ) {
    guard let value = characteristic.value, value.count == 2 else {
      return say("error: \(error?.localizedDescription ?? "no number")")
    }
    peripheral.openL2CAPChannel(CBL2CAPPSM(value[0]) | CBL2CAPPSM(value[1]) << 8)
  }

  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: Error?) {
    guard let channel else { return say("error: \(error?.localizedDescription ?? "")") }
    say("opened")
    self.channel = channel
    for stream in [channel.inputStream, channel.outputStream] as [Stream] {
      stream.delegate = self
      stream.schedule(in: .main, forMode: .default)
      stream.open()
    }
  }

  func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
    guard let channel else { return }
    switch eventCode {
    case .hasSpaceAvailable:
      guard sent < message.count else { return }
      let bytes = Array(message.dropFirst(sent))
      sent += max(0, channel.outputStream.write(bytes, maxLength: bytes.count))
    case .hasBytesAvailable:
      var buffer = [UInt8](repeating: 0, count: 4096)
      let length = channel.inputStream.read(&buffer, maxLength: buffer.count)
      if length > 0 { answer.append(contentsOf: buffer[..<length]) }
      if answer.count == message.count {
        say(answer == message ? "echoed" : "error: the echo differs")
        channel.inputStream.close()
        channel.outputStream.close()
        self.channel = nil
      }
    case .errorOccurred: say("error: \(aStream.streamError?.localizedDescription ?? "")")
    default: break
    }
  }
}

let client = ChannelClient()
RunLoop.main.run()
