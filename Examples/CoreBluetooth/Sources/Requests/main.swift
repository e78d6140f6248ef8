// SPDX-License-Identifier: MIT
// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

// A peripheral that answers reads and writes, and sends as much as there is room for.
import CoreBluetooth
import Foundation

/// Prints a line at once, also into a pipe.
func say(_ item: Any) { FileHandle.standardOutput.write(Data("\(item)\n".utf8)) }

final class Requests: NSObject, CBPeripheralManagerDelegate {
  private var myPeripheralManager: CBPeripheralManager!
  private let myCharacteristic = CBMutableCharacteristic(
    type: CBUUID(string: "71DA3FD1-7E10-41C1-B16F-4430B5060000"), properties: [.read, .write], value: nil,
    permissions: [.readable, .writeable])
  private let fixedCharacteristic = CBMutableCharacteristic(
    type: CBUUID(string: "71DA3FD1-7E10-41C1-B16F-4430B5060001"), properties: [.read],
    value: Data("fixed".utf8), permissions: [.readable])
  private let floodCharacteristic = CBMutableCharacteristic(
    type: CBUUID(string: "71DA3FD1-7E10-41C1-B16F-4430B5060002"), properties: [.notify], value: nil,
    permissions: [.readable])
  private let firstService = CBMutableService(type: CBUUID(string: "71DA"), primary: true)
  private let secondService = CBMutableService(type: CBUUID(string: "71DB"), primary: true)
  private var added = 0
  private var next = 0
  private let total = 300

  override init() {
    super.init()
    myCharacteristic.value = Data("0123456789".utf8)
    firstService.characteristics = [myCharacteristic, fixedCharacteristic]
    secondService.characteristics = [floodCharacteristic]
    myPeripheralManager = CBPeripheralManager(delegate: self, queue: nil, options: nil)
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return }
    added = 0
    peripheral.add(firstService)
    peripheral.add(secondService)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?) {
    if let error {
      say("Error publishing service: \(error.localizedDescription)")
      return
    }
    added += 1
    if added == 2 {
      peripheral.startAdvertising([
        CBAdvertisementDataServiceUUIDsKey: [firstService.uuid, secondService.uuid]
      ])
    }
  }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: Error?) {
    say(error.map { "Error advertising: \($0.localizedDescription)" } ?? "advertising")
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    guard request.characteristic.uuid == myCharacteristic.uuid, let value = myCharacteristic.value else {
      peripheral.respond(to: request, withResult: .attributeNotFound)
      return
    }
    if request.offset > value.count {
      say("read with offset \(request.offset) refused")
      peripheral.respond(to: request, withResult: .invalidOffset)
      return
    }
    request.value = value.subdata(in: request.offset..<value.count)
    say("read with offset \(request.offset)")
    peripheral.respond(to: request, withResult: .success)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    for request in requests where (request.value?.count ?? 0) > 20 {
      say("write refused")
      peripheral.respond(to: requests[0], withResult: .invalidAttributeValueLength)
      return
    }
    for request in requests {
      myCharacteristic.value = request.value
      say("written \((request.value ?? Data()) as NSData)")
    }
    peripheral.respond(to: requests[0], withResult: .success)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    say("Central subscribed to characteristic \(characteristic.uuid.uuidString)")
    next = 0
    flood()
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral,
    didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    say("Central unsubscribed")
  }

  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { flood() }

  private func flood() {
    while next < total {
      let value = Data([UInt8(next >> 8), UInt8(next & 0xff)])
      let didSendValue = myPeripheralManager.updateValue(
        value, for: floodCharacteristic, onSubscribedCentrals: nil)
      if !didSendValue {
        say("full at \(next)")
        return
      }
      next += 1
    }
    say("sent \(total)")
  }
}

let requests = Requests()
RunLoop.main.run()
