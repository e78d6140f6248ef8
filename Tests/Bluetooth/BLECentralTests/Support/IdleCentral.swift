// SPDX-License-Identifier: MIT
import BlueZClient
import DBus
import TestSupport
import Testing

@testable import BLECentral

/// Runs a test with a manager on a bus where there is no BlueZ: enough to make handles.
func withIdleCentral<Result>(_ body: (CentralManager) async throws -> Result) async throws -> Result {
  try await withBus { bus in
    let central = try await CentralManager(bus: .address(bus.address.text))
    let result = try await body(central)
    await central.close()
    return result
  }
}

extension CentralManager {
  /// The facts about a device whose record is filled like this.
  nonisolated func sampleInfo(
    _ address: String = "F0:F1:F2:F3:F4:F5", _ fill: (inout DeviceState) -> Void = { _ in }
  ) throws -> PeripheralInfo {
    var record = DeviceState(path: "/org/bluez/hci0/dev_" + address.replacing(":", with: "_"))
    record.adapterPath = "/org/bluez/hci0"
    record.address = BluetoothAddress(address)
    fill(&record)
    return try #require(PeripheralInfo(record, central: self))
  }
}
