// SPDX-License-Identifier: MIT
internal import BlueZClient

extension Peripheral {
  /// Reads the value of a characteristic; long values are read completely (up to 512 bytes).
  ///
  /// BlueZ: GattCharacteristic1.ReadValue, which asks the device regardless of the properties. The value
  /// never appears in a subscription of this manager.
  ///
  /// With an offset, BlueZ begins with Read Blob. The device refuses an offset behind the end with
  /// ``ATTError/invalidOffset``. It may refuse a value that fits into one packet (the MTU less 1) with
  /// ``ATTError/attributeNotLong``: read that without an offset. BlueZ puts the bytes into the value that it
  /// has from before, and returns that from the offset on: if the value has become shorter since the last
  /// read or notification, old bytes follow the new ones. A read without an offset brings no old bytes.
  ///
  /// - Parameters:
  ///   - characteristic: the characteristic.
  ///   - offset: the number of bytes at the beginning that are not read: 0 to 512.
  ///   - timeout: how long the device may take; BlueZ itself gives up after 30 s. Nil sets no limit.
  /// - Returns: the bytes from the offset on; none if it is the end of the value.
  /// - Throws: ``BLEError``: `notPermitted`, `attributeError` and so on, with ``BLEError/attError`` if the
  ///   device refuses; `invalidLength` for an offset behind the end, or outside of 0 to 512; `notPaired`,
  ///   `disconnected`, `timedOut` …
  public func readValue(
    for characteristic: GATTCharacteristic, offset: Int = 0, timeout: Duration? = .seconds(35)
  ) async throws(BLEError) -> [UInt8] {
    try await read(from: offset, characteristic.target(of: self, BLEError.Action.read, timeout))
  }

  /// Reads the value of a descriptor.
  ///
  /// - Parameters:
  ///   - descriptor: the descriptor.
  ///   - offset: the number of bytes at the beginning that are not read, as with a characteristic.
  ///   - timeout: how long the device may take; nil sets no limit.
  /// - Returns: the bytes from the offset on.
  /// - Throws: ``BLEError`` as ``readValue(for:offset:timeout:)-(GATTCharacteristic,_,_)`` does.
  public func readValue(
    for descriptor: GATTDescriptor, offset: Int = 0, timeout: Duration? = .seconds(35)
  ) async throws(BLEError) -> [UInt8] {
    try await read(from: offset, descriptor.target(of: self, BLEError.Action.read, timeout))
  }

  private func read(from offset: Int, _ target: AttributeTarget) async throws(BLEError) -> [UInt8] {
    // Behind 512 bytes, bluetoothd overruns its buffer if the device has more.
    guard (0...512).contains(offset) else {
      throw target.operation.error(.invalidLength, "the offset \(offset) is outside of 0 to 512")
    }
    return try await central.perform(on: target) { (attribute) throws(BLEError) in
      try await attribute.request(.read(from: offset), target.operation)
    }
  }

  /// Writes the value of a characteristic.
  ///
  /// BlueZ: GattCharacteristic1.WriteValue. With a response, a value longer than the MTU less 3 is written in
  /// parts if the device supports that. Without a response, such a value throws, since BlueZ would fail
  /// without a reason. In one packet, a value longer than ``PeripheralInfo/longestWrite`` also throws: the
  /// device would refuse or silently drop it.
  ///
  /// - Parameters:
  ///   - value: up to 512 bytes.
  ///   - characteristic: the characteristic.
  ///   - type: with or without a response. Without, this returns when bluetoothd has queued the value;
  ///     ``confirmWrites(timeout:)`` waits until the device has received it.
  ///   - timeout: how long the device may take; nil sets no limit.
  /// - Throws: ``BLEError``: `notPermitted`, `invalidLength`, `attributeError` with ``BLEError/attError``;
  ///   `disconnected`, `timedOut` …
  public func writeValue(
    _ value: [UInt8], for characteristic: GATTCharacteristic, type: WriteType = .withResponse,
    timeout: Duration? = .seconds(35)
  ) async throws(BLEError) {
    let target = characteristic.target(of: self, BLEError.Action.write, timeout)
    try await requireLength(value.count, characteristic, type, target.operation)
    try await central.perform(on: target) { (attribute) throws(BLEError) in
      _ = try await attribute.request(.write(value, type), target.operation)
    }
  }

  /// Writes the value of a descriptor, always with a response.
  ///
  /// The Client Characteristic Configuration (2902) cannot be written: BlueZ manages it for subscriptions.
  ///
  /// - Parameters:
  ///   - value: the bytes.
  ///   - descriptor: the descriptor.
  ///   - timeout: how long the device may take; nil sets no limit.
  /// - Throws: ``BLEError`` like the write of a characteristic.
  public func writeValue(
    _ value: [UInt8], for descriptor: GATTDescriptor, timeout: Duration? = .seconds(35)
  ) async throws(BLEError) {
    let target = descriptor.target(of: self, BLEError.Action.write, timeout)
    if descriptor.uuid == .clientCharacteristicConfiguration {
      throw target.operation.error(
        .notSupported, "BlueZ writes this descriptor itself when notifications are subscribed to")
    }
    try await central.perform(on: target) { (attribute) throws(BLEError) in
      _ = try await attribute.request(.write(value, .withResponse), target.operation)
    }
  }
}

/// A request on a characteristic or a descriptor.
struct AttributeTarget: Sendable {
  let path: String
  let devicePath: String
  let interface: String
  let operation: Operation
}

extension GATTCharacteristic {
  fileprivate func target(
    of peripheral: Peripheral, _ action: (BLEError.Attribute) -> BLEError.Action, _ timeout: Duration?
  ) -> AttributeTarget {
    let attribute = BLEError.Attribute(.characteristic, uuid, handle: handle, of: peripheral.address)
    return AttributeTarget(
      path: path, devicePath: devicePath, interface: BlueZ.gattCharacteristic,
      operation: Operation(action(attribute), timeout: timeout))
  }
}

extension GATTDescriptor {
  fileprivate func target(
    of peripheral: Peripheral, _ action: (BLEError.Attribute) -> BLEError.Action, _ timeout: Duration?
  ) -> AttributeTarget {
    let attribute = BLEError.Attribute(.descriptor, uuid, handle: handle, of: peripheral.address)
    return AttributeTarget(
      path: path, devicePath: devicePath, interface: BlueZ.gattDescriptor,
      operation: Operation(action(attribute), timeout: timeout))
  }
}

extension Peripheral {
  /// Writes values to a characteristic in order, and returns when the device received all of them.
  ///
  /// BlueZ: with a response WriteValue, one call after the other, each confirmed by the device before the
  /// next. Without a response, the socket of AcquireWrite, which is by far the cheapest. No other program can
  /// then write to the characteristic; if one already holds the socket, this method waits for it. If BlueZ
  /// provides no socket, WriteValue with up to four calls under way, whose order BlueZ preserves.
  ///
  /// bluetoothd accepts writes without response long before the link transmits them. This method therefore
  /// lets at most 128 be on their way, with small reads between them whose answers prove that those before arrived.
  /// Whether the device accepted the values is unknown.
  ///
  /// - Parameters:
  ///   - values: up to 512 bytes each; without a response at most the MTU less 3, and at most
  ///     ``PeripheralInfo/longestWrite``. All lengths are checked before anything is sent.
  ///   - characteristic: the characteristic.
  ///   - type: with or without a response.
  ///   - timeout: how long each value may take; nil sets no limit.
  ///   - progress: called on the manager's executor with the number of values that certainly arrived, as it
  ///     grows: by one with a response, by up to 128 without.
  /// - Throws: ``BLEError`` like the write of one value; if an earlier value was written,
  ///   ``BLEError/mayHaveTakenEffect`` is set.
  public func writeValues(
    _ values: [[UInt8]], for characteristic: GATTCharacteristic, type: WriteType = .withResponse,
    timeout: Duration? = .seconds(35), progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws(BLEError) {
    let target = characteristic.target(of: self, BLEError.Action.write, nil)
    try await requireLength(values.lazy.map(\.count).max() ?? 0, characteristic, type, target.operation)
    try await LongWrite(KnownValues(values), to: target, of: central, timeout: timeout, progress: progress)
      .run(type)
  }

  /// Writes values as a source provides them, and returns after the last when the device received all of them.
  ///
  /// As ``writeValues(_:for:type:timeout:progress:)``; values that wait for nothing are sent before the device has
  /// confirmed those before them. No value may be longer than `longest`, which is checked before anything is sent.
  package func writeValues(
    from source: some WriteSource, longest: Int, for characteristic: GATTCharacteristic, type: WriteType,
    timeout: Duration?, progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws(BLEError) {
    let target = characteristic.target(of: self, BLEError.Action.write, nil)
    try await requireLength(longest, characteristic, type, target.operation)
    try await LongWrite(source, to: target, of: central, timeout: timeout, progress: progress).run(type)
  }

  /// Requires that a value fits into a packet, if it must, and that the device accepts that length.
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
    let modalias = await central.perform { $0.client.model.devices[path]?.modalias }
    guard let culprit = LongestWrite(modalias: modalias).culprit else { return }
    throw operation.error(
      .invalidLength,
      "\(count) bytes: the device's bluetoothd \(culprit) takes \(LongestWrite.safe) in one write at most")
  }

  /// Waits until the device received all writes without response of this manager.
  ///
  /// Returns at once if an answer of the device has already proved it.
  ///
  /// BlueZ: ReadValue of a harmless attribute; ATT sends it only after the queued writes.
  ///
  /// - Parameter timeout: how long the device may take; nil sets no limit.
  /// - Throws: ``BLEError``: `disconnected` if the link was lost before, so that it is unknown how many
  ///   arrived; `timedOut` …
  public func confirmWrites(timeout: Duration? = .seconds(35)) async throws(BLEError) {
    let operation = Operation(.confirmWrites(address), timeout: timeout)
    try await central.perform { (core) throws(BLEError) in
      guard let device = core.sessions.devices[path] else { return }
      try await WriteConfirmation(device: device).confirm(operation)
    }
  }
}

extension Peripheral {
  /// Subscribes to the notifications or indications of a characteristic.
  ///
  /// When this returns, the device has confirmed the subscription, and all later values are delivered.
  /// Several subscriptions share one subscription of BlueZ.
  ///
  /// BlueZ: GattCharacteristic1.StartNotify, or AcquireNotify.
  ///
  /// - Parameters:
  ///   - characteristic: a characteristic with the property notify or indicate.
  ///   - transport: how the values travel; see ``NotificationTransport``.
  ///   - capacity: how many values may wait for the reader; more are dropped and counted. Unlimited by
  ///     default.
  ///   - timeout: how long the device may take to confirm; nil sets no limit.
  /// - Returns: the values.
  /// - Throws: ``BLEError``: `notSupported` without the property, or if the bus cannot pass sockets; `busy`
  ///   when another program holds the characteristic's socket; `notPaired`, `disconnected`, `timedOut` …
  public func notifications(
    for characteristic: GATTCharacteristic, via transport: NotificationTransport = .signal,
    capacity: Int = .max, timeout: Duration? = .seconds(35)
  ) async throws(BLEError) -> Notifications {
    let target = characteristic.target(of: self, BLEError.Action.subscribe, timeout)
    return try await central.perform(on: target) { (attribute) throws(BLEError) in
      let subscriber = Subscriber(attribute: attribute, operation: target.operation)
      return try await subscriber.subscribe(transport, capacity)
    }
  }

  /// Returns whether another program was subscribed to a characteristic when this manager subscribed to its
  /// signals.
  ///
  /// BlueZ: every value is signalled once for each program that has called StartNotify, to all of them.
  package func hadOtherSubscribers(of characteristic: GATTCharacteristic) async -> Bool {
    await central.perform { core in
      core.sessions.attributes[characteristic.path]?.hadOtherSubscribers == true
    }
  }

  /// Discards the values that arrived so far, so that the next one may be the answer to a request.
  ///
  /// A value that is still in the air or in bluetoothd cannot be told from an answer.
  ///
  /// BlueZ: a call whose reply arrives after all values that bluetoothd has signalled.
  package func discardNotifications(
    of characteristic: GATTCharacteristic, waitingIn iterator: inout Notifications.Iterator,
    timeout: Duration?
  ) async throws(BLEError) {
    let target = characteristic.target(of: self, BLEError.Action.subscribe, timeout)
    try await central.perform(on: target) { (attribute) throws(BLEError) in
      try await attribute.passBarrier(target.operation)
    }
    iterator.discardBacklog()
  }
}
