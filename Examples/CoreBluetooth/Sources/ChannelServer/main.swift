// SPDX-License-Identifier: MIT
// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

// A peripheral with an L2CAP channel, whose number centrals read from a characteristic; it sends back what it receives.
import CoreBluetooth
import Foundation

/// Prints a line at once, also into a pipe.
func say(_ item: Any) { FileHandle.standardOutput.write(Data("\(item)\n".utf8)) }

/// One channel of a central.
final class Echo: NSObject, StreamDelegate {
  private let channel: CBL2CAPChannel
  private var waiting = Data()
  private var count = 0

  init(_ channel: CBL2CAPChannel) {
    self.channel = channel
    super.init()
    for stream in [channel.inputStream, channel.outputStream] as [Stream] {
      stream.delegate = self
      stream.schedule(in: .main, forMode: .default)
      stream.open()
    }
  }

  func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
    switch eventCode {
    case .hasBytesAvailable:
      var buffer = [UInt8](repeating: 0, count: 4096)
      let length = channel.inputStream.read(&buffer, maxLength: buffer.count)
      guard length > 0 else { return }
      waiting.append(contentsOf: buffer[..<length])
      echo()
    case .hasSpaceAvailable: echo()
    case .endEncountered where aStream === channel.inputStream:
      say("closed after \(count) bytes")
      channel.inputStream.close()
      channel.outputStream.close()
    case .errorOccurred: say("error: \(aStream.streamError?.localizedDescription ?? "")")
    default: break
    }
  }

  private func echo() {
    while !waiting.isEmpty, channel.outputStream.hasSpaceAvailable {
      let bytes = Array(waiting)
      let length = channel.outputStream.write(bytes, maxLength: bytes.count)
      guard length > 0 else { return }
      waiting = Data(waiting.dropFirst(length))
      count += length
    }
  }
}

final class ChannelServer: NSObject, CBPeripheralManagerDelegate {
  private var manager: CBPeripheralManager!
  private var channels: [Echo] = []

  override init() {
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: nil)
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    if peripheral.state == .poweredOn { peripheral.publishL2CAPChannel(withEncryption: false) }
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: Error?
  ) {
    if let error {
      say("error: \(error.localizedDescription)")
      return
    }
    say("published")
    let service = CBMutableService(type: CBUUID(string: "71DC"), primary: true)
    let number = withUnsafeBytes(of: PSM.littleEndian) { Data($0) }
    service.characteristics = [
      CBMutableCharacteristic(
        type: CBUUID(string: CBUUIDL2CAPPSMCharacteristicString), properties: .read, value: number,
        permissions: .readable)
    ]
    peripheral.add(service)
    peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [service.uuid]])
  }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: Error?) {
    say(error.map { "error: \($0.localizedDescription)" } ?? "advertising")
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: Error?) {
    guard let channel else { return say("error: \(error?.localizedDescription ?? "")") }
    say("opened by \(channel.peer is CBCentral ? "a central" : "something else")")
    channels.append(Echo(channel))
  }
}

let server = ChannelServer()
RunLoop.main.run()
