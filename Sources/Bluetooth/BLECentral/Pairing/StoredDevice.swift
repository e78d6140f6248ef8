// SPDX-License-Identifier: MIT
internal import BlueZClient
internal import DBus

/// The stored data of a device in BlueZ: its bond and its flags.
struct StoredDevice {
  let device: DeviceSession
  let operation: Operation

  private var core: CentralCore { device.core }

  func forget() async throws(BLEError) {
    let path = device.path
    let shown = try core.device(path, for: operation.action)
    let (removals, wasBonded) = (device.removals, device.bond.wasBonded)
    device.bond.unpaired()
    let message = Message(
      call: "RemoveDevice", of: BlueZ.adapter, at: shown.adapterPath, to: BlueZ.service
    ) { $0.objectPath(path) }
    do throws(BLEError) {
      try await core.client.call(message, for: operation)
    } catch {
      device.bond.observed(isBonded: wasBonded)
      throw error
    }
    // A scan may hear it again at once.
    let isForgotten: Bool? = try await core.wait(for: operation) { [device] model in
      device.removals == removals && model.devices.contains(path) ? nil : .success(true)
    }
    if isForgotten == nil { throw operation.error(.timedOut, "BlueZ does not forget the device") }
  }

  /// Sets `Trusted` or `Blocked`, and waits until BlueZ shows the new value.
  func set(
    _ property: String, to value: Bool,
    isSet: @escaping @Sendable (DeviceState) -> Bool
  ) async throws(BLEError) {
    let (path, operation) = (device.path, operation)
    if isSet(try core.device(path, for: operation.action)) == value { return }
    let message = BlueZ.call(toSet: property, of: BlueZ.device, at: path, to: value)
    try await core.client.call(message, for: operation)
    let isDone: Bool? = try await core.wait(for: operation) { model in
      guard let device = model.devices[path] else {
        return .failure(operation.error(.notFound, "BlueZ has forgotten the device"))
      }
      return isSet(device) == value ? .success(true) : nil
    }
    if isDone == nil { throw operation.error(.timedOut, "BlueZ does not follow") }
  }
}
