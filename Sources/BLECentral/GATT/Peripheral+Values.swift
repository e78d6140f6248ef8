// SPDX-License-Identifier: MIT
internal import BlueZClient

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
    let target = characteristic.target(of: self, BLEError.Action.read, timeout)
    return try await central.perform(on: target) { (attribute, central) throws(BLEError) in
      try await attribute.read(target.operation, in: central)
    }
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
    let target = descriptor.target(of: self, BLEError.Action.read, timeout)
    return try await central.perform(on: target) { (attribute, central) throws(BLEError) in
      try await attribute.read(target.operation, in: central)
    }
  }

  /// Writes the value of a characteristic.
  ///
  /// BlueZ: GattCharacteristic1.WriteValue. With a response, a value longer than the MTU less 3 is written in parts
  /// where the device allows it; without, that is an error here, since BlueZ would fail without a reason. A value of more
  /// than ``PeripheralInfo/longestWrite`` in one packet is an error, too: the device would refuse it, or drop it silently.
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
    let target = characteristic.target(of: self, BLEError.Action.write, timeout)
    try await requireLength(value.count, characteristic, type, target.operation)
    try await central.perform(on: target) { (attribute, central) throws(BLEError) in
      try await attribute.write(value, type, target.operation, in: central)
    }
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
    let target = descriptor.target(of: self, BLEError.Action.write, timeout)
    if descriptor.uuid == .clientCharacteristicConfiguration {
      throw target.operation.error(
        .notSupported, "BlueZ writes this descriptor itself when notifications are subscribed to")
    }
    try await central.perform(on: target) { (attribute, central) throws(BLEError) in
      try await attribute.write(value, .withResponse, target.operation, in: central)
    }
  }
}

extension GATTCharacteristic {
  func target(
    of peripheral: Peripheral, _ action: (BLEError.Attribute) -> BLEError.Action, _ timeout: Duration?
  ) -> AttributeTarget {
    let attribute = BLEError.Attribute(.characteristic, uuid, handle: handle, of: peripheral.address)
    return AttributeTarget(
      path: path, devicePath: devicePath, interface: BlueZ.gattCharacteristic,
      operation: Operation(action(attribute), timeout: timeout))
  }
}

extension GATTDescriptor {
  func target(
    of peripheral: Peripheral, _ action: (BLEError.Attribute) -> BLEError.Action, _ timeout: Duration?
  ) -> AttributeTarget {
    let attribute = BLEError.Attribute(.descriptor, uuid, handle: handle, of: peripheral.address)
    return AttributeTarget(
      path: path, devicePath: devicePath, interface: BlueZ.gattDescriptor,
      operation: Operation(action(attribute), timeout: timeout))
  }
}

extension Peripheral {
  /// Writes values to a characteristic in order, and returns when the device has received all of them.
  ///
  /// BlueZ: with a response WriteValue, one after the other, each confirmed by the device before the next is sent.
  /// Without, the socket of AcquireWrite, which is by far the cheapest. No other program can write to the
  /// characteristic meanwhile; if one holds the socket already, this waits for it. Where BlueZ gives no socket,
  /// WriteValue with up to four calls under way, whose order BlueZ keeps.
  ///
  /// bluetoothd accepts writes without response long before the link has carried them. They are therefore sent in
  /// windows of up to 128, each followed by a small read whose answer proves that they arrived. Whether the device
  /// accepted the values is unknown.
  ///
  /// - Parameters:
  ///   - values: up to 512 bytes each; without a response no more than the MTU less 3, and no more than
  ///     ``PeripheralInfo/longestWrite``, which is checked before anything is sent.
  ///   - characteristic: the characteristic.
  ///   - type: with or without a response.
  ///   - timeout: how long each value may take; nil is without limit.
  ///   - progress: called on the manager's executor with the number of values that are certain to have arrived, as it
  ///     grows: by one with a response, by a window without.
  /// - Throws: ``BLEError`` as the write of one value does; when a value was written before,
  ///   ``BLEError/mayHaveTakenEffect`` is set.
  public func writeValues(
    _ values: [[UInt8]], for characteristic: GATTCharacteristic, type: WriteType = .withResponse,
    timeout: Duration? = .seconds(35), progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws(BLEError) {
    let target = characteristic.target(of: self, BLEError.Action.write, nil)
    try await requireLength(values.lazy.map(\.count).max() ?? 0, characteristic, type, target.operation)
    try await central.perform(on: target) { (attribute, central) throws(BLEError) in
      let writer = ValueWriter(attribute: attribute, action: target.operation.action, timeout: timeout)
      try await writer.write(values, type, progress, in: central)
    }
  }

  /// Requires that a value fits into a packet, if it has to, and that the device takes a packet with so much of a value.
  private func requireLength(
    _ count: Int, _ characteristic: GATTCharacteristic, _ type: WriteType, _ operation: Operation
  ) async throws(BLEError) {
    let room = characteristic.mtu.map { $0 - 3 }
    if type == .withoutResponse, let room, count > room {
      throw operation.error(
        .invalidLength, "\(count) bytes do not fit a write without response: \(room) at most")
    }
    let isOnePacket = type == .withoutResponse || count <= room ?? 0
    guard count > LongestWrite.safe, isOnePacket else { return }
    let modalias = await central.perform { [path] in $0.model.devices[path]?.modalias }
    guard let culprit = LongestWrite(modalias: modalias).culprit else { return }
    throw operation.error(
      .invalidLength,
      "\(count) bytes: the device's bluetoothd \(culprit) takes \(LongestWrite.safe) in one write at most")
  }

  /// Waits until the device has received every write without response that this manager has sent to it.
  ///
  /// Returns at once when an answer of the device has already proved it.
  ///
  /// BlueZ: ReadValue of a harmless attribute: ATT sends it only behind the writes that are queued.
  ///
  /// - Parameter timeout: how long the device may take; nil is without limit.
  /// - Throws: ``BLEError``: `disconnected` when the link was lost before, so that it is not known how many arrived;
  ///   `timedOut` …
  public func confirmWrites(timeout: Duration? = .seconds(35)) async throws(BLEError) {
    let operation = Operation(.confirmWrites(address), timeout: timeout)
    try await central.perform { [path] (central) throws(BLEError) in
      guard let device = central.sessions.devices[path] else { return }
      try await WriteConfirmation(device: device).confirm(operation, in: central)
    }
  }
}

extension Peripheral {
  /// Subscribes to the notifications, or indications, of a characteristic.
  ///
  /// When this returns, the device has confirmed the subscription, and each value from now on will be delivered.
  /// Several subscriptions share one of BlueZ.
  ///
  /// BlueZ: GattCharacteristic1.StartNotify, or AcquireNotify.
  ///
  /// - Parameters:
  ///   - characteristic: one with the property notify or indicate.
  ///   - transport: how the values travel; see ``NotificationTransport``.
  ///   - capacity: how many values may wait for the reader; more are dropped and counted. Unlimited by default.
  ///   - timeout: how long the device may take to confirm; nil is without limit.
  /// - Returns: the values.
  /// - Throws: ``BLEError``: `notSupported` without the property, or if the bus does not carry sockets, `busy` when another program holds the
  ///   characteristic's socket, `notPaired`, `disconnected`, `timedOut` …
  public func notifications(
    for characteristic: GATTCharacteristic, via transport: NotificationTransport = .signal,
    capacity: Int = .max, timeout: Duration? = .seconds(35)
  ) async throws(BLEError) -> Notifications {
    let target = characteristic.target(of: self, BLEError.Action.subscribe, timeout)
    return try await central.perform(on: target) { (attribute, central) throws(BLEError) in
      let subscriber = Subscriber(attribute: attribute, operation: target.operation)
      return try await subscriber.subscribe(transport, capacity, in: central)
    }
  }

  /// Drops the values that a device has sent so far, so that the next one may be the answer to a request.
  ///
  /// A value that is in the air, or in bluetoothd, cannot be distinguished from an answer.
  ///
  /// BlueZ: a call whose reply comes behind all values that bluetoothd has signalled.
  ///
  /// - Parameters:
  ///   - characteristic: the one that was subscribed to.
  ///   - iterator: the reader of its values.
  ///   - timeout: how long bluetoothd may take.
  /// - Throws: ``BLEError``: `timedOut`, `notFound` …
  package func discardNotifications(
    of characteristic: GATTCharacteristic, waitingIn iterator: inout Notifications.Iterator,
    timeout: Duration?
  ) async throws(BLEError) {
    let target = characteristic.target(of: self, BLEError.Action.subscribe, timeout)
    try await central.perform(on: target) { (attribute, central) throws(BLEError) in
      try await attribute.passBarrier(target.operation, in: central)
    }
    iterator.discardBacklog()
  }
}
