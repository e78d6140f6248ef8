// SPDX-License-Identifier: MIT
import BLEFormats
import Testing

@testable import BlueZSimulator

@Suite("BlueZ name")
struct BlueZNameTests {
  @Test("UUIDs are parsed as bluetoothd parses them")
  func uuidsParsedBluetoothd() {
    #expect(BluetoothUUID(bluez: "0xFEE0") == BluetoothUUID(0xFEE0))
    #expect(BluetoothUUID(bluez: "0000FEE0") == BluetoothUUID(0xFEE0))
    #expect(BluetoothUUID(bluez: BluetoothUUID(0xFEE0).longForm) == BluetoothUUID(0xFEE0))
    #expect(BluetoothUUID(bluez: "0000fee000001000800000805f9b34fb") == nil)
  }
}
