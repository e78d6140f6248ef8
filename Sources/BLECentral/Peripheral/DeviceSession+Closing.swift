// SPDX-License-Identifier: MIT
internal import DBus
internal import Logging

extension DeviceSession {
  /// How long BlueZ takes to end a link after Disconnect: 2 s, and a margin for the radio.
  private static let timeToClose = Duration.milliseconds(2800)
  /// How long bluetoothd may take to reply to what it does at once.
  private static let timeToReply = Duration.milliseconds(500)
  /// How long a release waits for writes without response that are on their way.
  private static let timeToConfirm = Duration.seconds(1)

  // MARK: Waiting

  /// Waits until there is no link.
  ///
  /// - Returns: whether the link has ended; false when the deadline came first.
  func waitForEnd(
    _ operation: String, _ deadline: Deadline, in central: isolated CentralManager
  ) async throws(BLEError) -> Bool {
    let path = path
    let isOver: Bool? = try await central.wait(for: operation, until: deadline) { model in
      model.devices[path]?.isConnected == true ? nil : .success(true)
    }
    return isOver == true
  }

  func waitUntilDisconnected(
    _ operation: String, _ deadline: Deadline, in central: isolated CentralManager
  ) async throws(BLEError) {
    if try await waitForEnd(operation, deadline, in: central) { return }
    throw BLEError(.timedOut, operation: operation, message: "still connected")
  }

  /// Waits for the end of a link that is being closed; returns at once when it is not.
  ///
  /// Disconnect, by any program, only starts a timer of 2 s, which no property shows. StartNotify reveals it: while the timer
  /// runs, BlueZ refuses it with NotConnected before it looks at anything else. On a characteristic that cannot notify the
  /// answer is NotSupported otherwise, and nothing is sent to the device. Without such a characteristic, the time of the
  /// timer has to pass, since the link may be about to end.
  func waitIfClosing(
    _ operation: String, _ deadline: Deadline, in central: isolated CentralManager
  ) async throws(BLEError) {
    var limit = deadline.within(DeviceSession.timeToClose)
    let probe = central.model.characteristics(of: path).first {
      $0.properties.isDisjoint(with: [.notify, .indicate])
    }
    if let probe {
      guard try await isRefusedAsDisconnecting(probe.path, operation, deadline, in: central) else { return }
      limit = deadline
    }
    _ = try await waitForEnd(operation, limit, in: central)
  }

  private func isRefusedAsDisconnecting(
    _ characteristicPath: String, _ operation: String, _ deadline: Deadline,
    in central: isolated CentralManager
  ) async throws(BLEError) -> Bool {
    do {
      let message = Message(
        call: "StartNotify", of: BlueZ.gattCharacteristic, at: characteristicPath, to: BlueZ.service)
      try await central.call(message, for: operation, until: deadline)
      central.postStopNotify(characteristicPath)
      return false
    } catch {
      switch error.code {
      case .disconnected: return true
      case .timedOut, .cancelled, .serviceUnavailable, .busUnavailable: throw error
      default: return false
      }
    }
  }

  // MARK: Disconnecting

  func disconnect(
    _ operation: String, _ deadline: Deadline, in central: isolated CentralManager
  ) async throws(BLEError) {
    _ = try central.device(path, for: operation)
    try? await confirmCommands(operation, deadline, in: central)
    released()
    defer { lock.abandon() }
    let message = Message(call: "Disconnect", of: BlueZ.device, at: path, to: BlueZ.service)
    try await central.call(message, for: operation, until: deadline)
    try await waitUntilDisconnected(operation, deadline, in: central)
  }

  /// Calls Disconnect, and returns when bluetoothd has begun it; it takes 2 s to finish.
  func postDisconnect(in central: isolated CentralManager) async {
    central.connection.post(Message(call: "Disconnect", of: BlueZ.device, at: path, to: BlueZ.service))
    await central.inBackground { [path] central in  // also when the task was cancelled
      let deadline = Deadline(after: DeviceSession.timeToReply)
      try? await central.deviceSession(path).passBarrier("disconnect", deadline, in: central)
    }.value
  }

  // MARK: Releasing

  /// Stops using the link, and closes it when this library opened it and nobody else uses it.
  ///
  /// - Returns: whether it is being closed.
  @discardableResult
  func release(in central: isolated CentralManager) async -> Bool {
    try? await confirmCommands(
      "finish the writes", Deadline(after: DeviceSession.timeToConfirm), in: central)
    // Their `Notifying` would look like that of another program.
    for attribute in central.attributes(of: self) { attribute.linkReleased(in: central) }
    let ours = acquired
    released()
    guard case .last(let isOurs) = lock.leave() else {
      central.logger.info("the link to \(name(in: central)) stays open: another command uses it")
      return false
    }
    defer { lock.unlock() }
    guard isOurs, central.isConnected(path) else { return false }
    // StopNotify, sent before, shows in the properties only once bluetoothd has seen it.
    try? await passBarrier("disconnect", Deadline(after: DeviceSession.timeToReply), in: central)
    if isUsedByOthers(except: ours, central.model) {
      central.logger.info("the link to \(name(in: central)) stays open: another program has notifications on")
      return false
    }
    await postDisconnect(in: central)
    return true
  }

  private func name(in central: isolated CentralManager) -> String {
    central.model.devices[path]?.address.map { "\($0)" } ?? path
  }

  /// Whether a property shows that a program uses the link: notifications that are on, or a socket.
  private func isUsedByOthers(except ours: Set<String>, _ model: ObjectModel) -> Bool {
    model.characteristics(of: path).contains { characteristic in
      characteristic.isNotifying
        || (characteristic.isNotifyAcquired || characteristic.isWriteAcquired)
          && !ours.contains(characteristic.path)
    }
  }
}
