// SPDX-License-Identifier: MIT
internal import BlueZClient
internal import Testing

@testable internal import BLEPeripheral

@Suite("ServiceCheck")
struct ServiceCheckTests {
  private static let uuid = BluetoothUUID(short: 0xfff0)

  private func error(_ service: LocalService) -> BLEError? {
    var check = ServiceCheck(Operation(.publish(Self.uuid), timeout: nil))
    do throws(BLEError) {
      try check.check(service)
      return nil
    } catch {
      return error
    }
  }

  private func error(_ characteristic: LocalCharacteristic) -> BLEError? {
    error(LocalService(Self.uuid, [characteristic]))
  }

  @Test("A service that BlueZ takes is accepted, also with characteristics of the same UUID")
  func accepted() {
    let one = LocalCharacteristic(Self.uuid, .read, value: Array(repeating: 0, count: 512), handle: 3)
    let other = LocalCharacteristic(Self.uuid, .notify, handle: 6)
    #expect(
      error(LocalService(Self.uuid, [one, other], includedServices: [LocalService(Self.uuid, [])])) == nil)
  }

  @Test("UUIDs that belong to BlueZ are refused, wherever they are", arguments: [UInt16(0x1800), 0x1801])
  func reserved(_ number: UInt16) {
    let uuid = BluetoothUUID(short: number)
    #expect(error(LocalService(uuid, []))?.code == .invalidDefinition)
    #expect(error(LocalCharacteristic(uuid, .read))?.code == .invalidDefinition)
    let included = LocalService(Self.uuid, [], includedServices: [LocalService(uuid, [])])
    #expect(error(included)?.code == .invalidDefinition)
  }

  @Test("AcquireNotify needs notifications")
  func acquireNotify() {
    let indicated = LocalCharacteristic(Self.uuid, .indicate, updateTransport: .acquireNotify)
    #expect(error(indicated)?.code == .invalidDefinition)
    let notified = LocalCharacteristic(Self.uuid, [.notify, .indicate], updateTransport: .acquireNotify)
    #expect(error(notified) == nil)
  }

  @Test("Descriptors that BlueZ adds are refused", arguments: [UInt16(0x2900), 0x2902])
  func descriptors(_ number: UInt16) {
    let descriptor = LocalDescriptor(BluetoothUUID(short: number), value: [])
    let error = error(LocalCharacteristic(Self.uuid, .read, descriptors: [descriptor]))
    #expect(error?.code == .invalidDefinition)
    #expect(error?.message.contains("BlueZ adds it by itself") == true)
  }

  @Test("Several descriptors of one type are accepted: two formats, for instance")
  func sameType() {
    let format = LocalDescriptor(BluetoothUUID(short: 0x2904), value: [4, 0, 0, 0x27, 1, 0, 0])
    #expect(error(LocalCharacteristic(Self.uuid, .read, descriptors: [format, format])) == nil)
  }

  @Test("A characteristic that permits nothing is refused")
  func noProperties() {
    #expect(error(LocalCharacteristic(Self.uuid, []))?.code == .invalidDefinition)
  }

  @Test("A value of more than 512 bytes is refused, with its length")
  func length() {
    let error = error(LocalCharacteristic(Self.uuid, .read, value: Array(repeating: 0, count: 513)))
    #expect(error?.code == .invalidLength)
    #expect(error?.message.contains("513 bytes") == true)
  }

  @Test("A handle that is used twice, or is 0, is refused")
  func handles() {
    let characteristic = LocalCharacteristic(Self.uuid, .read, handle: 7)
    #expect(error(LocalService(Self.uuid, [characteristic, characteristic]))?.code == .invalidDefinition)
    #expect(error(LocalService(Self.uuid, [characteristic], handle: 7))?.code == .invalidDefinition)
    #expect(error(LocalService(Self.uuid, [], handle: 0))?.code == .invalidDefinition)
  }
}
