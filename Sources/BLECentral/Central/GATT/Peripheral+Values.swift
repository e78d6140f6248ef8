// SPDX-License-Identifier: MIT

extension Peripheral {
  /// Reads the value of a characteristic, long ones whole (up to 512 bytes).
  ///
  /// BlueZ: GattCharacteristic1.ReadValue, which asks the device regardless of the properties. The answer never appears
  /// in a subscription of this manager.
  ///
  /// - Parameters:
  ///   - characteristic: the characteristic.
  ///   - timeout: how long the device may take; BlueZ itself gives up after 30 s. Nil is without limit.
  /// - Returns: the bytes.
  /// - Throws: ``BLEError``: `notPermitted`, `attributeError` and so on, with ``BLEError/attError`` where the device
  ///   refuses; `notPaired`, `disconnected`, `timedOut` …
  public func readValue(
    for characteristic: GATTCharacteristic, timeout: Duration? = .seconds(35)
  ) async throws(BLEError) -> [UInt8] {
    try await central.read(characteristic.target(of: self, verb: "read", timeout))
  }

  /// Reads the value of a descriptor.
  ///
  /// - Parameters:
  ///   - descriptor: the descriptor.
  ///   - timeout: how long the device may take; nil is without limit.
  /// - Returns: the bytes.
  /// - Throws: ``BLEError`` as ``readValue(for:timeout:)-(GATTCharacteristic,_)`` does.
  public func readValue(
    for descriptor: GATTDescriptor, timeout: Duration? = .seconds(35)
  ) async throws(BLEError) -> [UInt8] {
    try await central.read(descriptor.target(of: self, verb: "read", timeout))
  }

  /// Writes the value of a characteristic.
  ///
  /// BlueZ: GattCharacteristic1.WriteValue. With a response, a value longer than the MTU less 3 is written in parts
  /// where the device allows it; without, that is an error here, since BlueZ would fail without a reason.
  ///
  /// - Parameters:
  ///   - value: up to 512 bytes.
  ///   - characteristic: the characteristic.
  ///   - type: with or without a response. Without, this returns when bluetoothd has queued the value;
  ///     ``confirmWrites(timeout:)`` waits until the device has received it.
  ///   - timeout: how long the device may take; nil is without limit.
  /// - Throws: ``BLEError``: `notPermitted`, `invalidLength`, `attributeError` with ``BLEError/attError``;
  ///   `disconnected`, `timedOut` …
  public func writeValue(
    _ value: [UInt8], for characteristic: GATTCharacteristic, type: WriteType = .withResponse,
    timeout: Duration? = .seconds(35)
  ) async throws(BLEError) {
    let target = characteristic.target(of: self, verb: "write", timeout)
    if type == .withoutResponse, let mtu = characteristic.mtu, value.count > mtu - 3 {
      throw target.operation.error(
        .invalidLength, "\(value.count) bytes do not fit a write without response: \(mtu - 3) at most")
    }
    try await central.write(value, target, type)
  }

  /// Writes the value of a descriptor, always with a response.
  ///
  /// The Client Characteristic Configuration (2902) cannot be written: BlueZ writes it for subscriptions.
  ///
  /// - Parameters:
  ///   - value: the bytes.
  ///   - descriptor: the descriptor.
  ///   - timeout: how long the device may take; nil is without limit.
  /// - Throws: ``BLEError`` as the write of a characteristic does.
  public func writeValue(
    _ value: [UInt8], for descriptor: GATTDescriptor, timeout: Duration? = .seconds(35)
  ) async throws(BLEError) {
    let target = descriptor.target(of: self, verb: "write", timeout)
    if descriptor.uuid == .clientCharacteristicConfiguration {
      throw target.operation.error(
        .notSupported, "BlueZ writes this descriptor itself when notifications are subscribed to")
    }
    try await central.write(value, target, .withResponse)
  }
}

extension GATTCharacteristic {
  func target(of peripheral: Peripheral, verb: String, _ timeout: Duration?) -> AttributeTarget {
    AttributeTarget(
      path: path, devicePath: devicePath, interface: BlueZ.gattCharacteristic,
      operation: Operation("\(verb) \(uuid) of \(peripheral.address)", timeout: timeout))
  }
}

extension GATTDescriptor {
  func target(of peripheral: Peripheral, verb: String, _ timeout: Duration?) -> AttributeTarget {
    AttributeTarget(
      path: path, devicePath: devicePath, interface: BlueZ.gattDescriptor,
      operation: Operation("\(verb) descriptor \(uuid) of \(peripheral.address)", timeout: timeout))
  }
}
