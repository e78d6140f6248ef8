// SPDX-License-Identifier: MIT
import Testing

@testable import BlueZClient

@Suite("Bus")
struct BusTests {
  @Test("Only the bluetoothd of another bus than the well-known one is asked whether it is simulated")
  func simulation() {
    #expect(!Bus.address("unix:path=/run/dbus/system_bus_socket").mayBeSimulated)
    #expect(Bus.address("unix:path=/tmp/bus").mayBeSimulated)
  }
}
