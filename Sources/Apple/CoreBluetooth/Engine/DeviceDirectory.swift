// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import Foundation

/// A device that BlueZ knows, or knew recently.
struct KnownDevice: Sendable {
  let identifier: UUID
  let address: BluetoothAddress
  let name: String?
  let services: [BluetoothUUID]
  /// The largest value in bytes that it accepts in one packet.
  let longestWrite: Int
  /// True if BlueZ knows it now.
  let isKnown: Bool
  var isConnected: Bool
}

/// The devices by identifier, for queries that must not wait.
///
/// A device keeps the identifier of its first address, even if pairing reveals another. Only the latest
/// forgotten devices are kept: a scanner in a public place hears new private addresses all day.
final class DeviceDirectory: Sendable {
  private struct State {
    var identifiers: [BLECentral.Peripheral.ID: UUID] = [:]
    var devices: [UUID: KnownDevice] = [:]
    /// The devices that BlueZ forgot, the latest last.
    var forgotten: [BLECentral.Peripheral.ID] = []

    mutating func forget(_ id: BLECentral.Peripheral.ID, keeping limit: Int) {
      forgotten.append(id)
      while forgotten.count > limit {
        if let identifier = identifiers.removeValue(forKey: forgotten.removeFirst()) {
          devices[identifier] = nil
        }
      }
    }
  }

  private let state = Lock(State())
  private let limit: Int

  /// - Parameter limit: how many forgotten devices to keep.
  init(limit: Int = 1000) { self.limit = limit }

  /// Records the current state of a device in BlueZ; returns the device with its identifier.
  @discardableResult
  func note(_ info: PeripheralInfo, isKnown: Bool = true) -> KnownDevice {
    state.withLock { state in
      let id = info.peripheral.id
      let identifier = state.identifiers[id] ?? PeerIdentifier.identifier(of: info.address)
      state.identifiers[id] = identifier
      let wasKnown = state.devices[identifier]?.isKnown ?? true
      if isKnown, !wasKnown { state.forgotten.removeAll { $0 == id } }
      let device = KnownDevice(
        identifier: identifier, address: info.address, name: info.name,
        services: info.advertisement.serviceUUIDs, longestWrite: info.longestWrite,
        isKnown: isKnown, isConnected: isKnown && info.isConnected)
      state.devices[identifier] = device
      if wasKnown, !isKnown { state.forget(id, keeping: limit) }
      return device
    }
  }

  func isConnected(_ id: BLECentral.Peripheral.ID) -> Bool {
    state.withLock { state in
      state.identifiers[id].flatMap { state.devices[$0] }?.isConnected ?? false
    }
  }

  subscript(identifier: UUID) -> KnownDevice? { state.withLock { $0.devices[identifier] } }

  /// Marks all devices as disconnected: Bluetooth is off or unavailable.
  func disconnectAll() {
    state.withLock { state in
      for (identifier, device) in state.devices where device.isConnected {
        state.devices[identifier]?.isConnected = false
      }
    }
  }

  /// Returns the connected devices with any of some services, in a fixed order.
  func connected(with services: [BluetoothUUID]) -> [KnownDevice] {
    state.withLock { state in
      state.devices.values
        .filter { device in device.isConnected && services.contains { device.services.contains($0) } }
        .sorted { $0.address < $1.address }
    }
  }
}
