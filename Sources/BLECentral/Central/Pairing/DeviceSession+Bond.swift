// SPDX-License-Identifier: MIT
internal import DBus

/// What BlueZ keeps about a device: its bond and its flags.
extension DeviceSession {
  /// Lets BlueZ forget the device, and the keys with it.
  func forget(_ operation: Operation, in central: isolated CentralManager) async throws(BLEError) {
    let device = try central.device(path, for: operation.name)
    wasBonded = false
    let path = path
    let message = Message(
      call: "RemoveDevice", of: BlueZ.adapter, at: device.adapterPath, to: BlueZ.service
    ) { $0.objectPath(path) }
    try await central.call(message, for: operation)
    let isForgotten: Bool? = try await central.wait(for: operation) { model in
      model.devices.contains(path) ? nil : .success(true)
    }
    if isForgotten == nil { throw operation.error(.timedOut, "BlueZ does not forget the device") }
  }

  /// - Throws: ``BLEError`` with code `deviceBlocked`.
  func requireNotBlocked(_ device: DeviceState, _ operation: Operation) throws(BLEError) {
    if device.isBlocked { throw operation.error(.deviceBlocked, "the device is blocked") }
  }

  /// Sets `Trusted` or `Blocked`, and waits until BlueZ shows it.
  func set(
    _ property: String, to value: Bool, _ operation: Operation, in central: isolated CentralManager,
    isSet: @escaping @Sendable (DeviceState) -> Bool
  ) async throws(BLEError) {
    if isSet(try central.device(path, for: operation.name)) == value { return }
    let path = path
    let message = BlueZ.call(toSet: property, of: BlueZ.device, at: path, to: value)
    try await central.call(message, for: operation)
    let isDone: Bool? = try await central.wait(for: operation) { model in
      guard let device = model.devices[path] else {
        return .failure(operation.error(.notFound, "BlueZ has forgotten the device"))
      }
      return isSet(device) == value ? .success(true) : nil
    }
    if isDone == nil { throw operation.error(.timedOut, "BlueZ does not follow") }
  }
}
