// SPDX-License-Identifier: MIT
internal import BlueZClient
internal import Testing

@testable internal import BLEPeripheral

@Suite("Central")
struct CentralTests {
  @Test("A central is the same before and after bluetoothd knows its identity address")
  func identity() throws {
    var device = DeviceState(path: "/org/bluez/hci0/dev_C0_00_00_00_00_01")
    #expect(Central(device) == nil)
    device.address = BluetoothAddress("C0:00:00:00:00:01")
    let before = try #require(Central(device))
    device.address = BluetoothAddress("F0:00:00:00:00:C1")
    let after = try #require(Central(device))
    #expect("\(after.address)" == "F0:00:00:00:00:C1")
    #expect(after == before)
    #expect(Set([before, after]).count == 1)
  }
}
