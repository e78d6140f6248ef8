// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

/// The waits of an operation that opens, joins or closes the link to one device.
struct LinkWaits {
  let device: DeviceSession
  let operation: Operation

  private var path: String { device.path }
  private var explainer: FailureExplainer { FailureExplainer(device, operation) }

  var timedOut: BLEError {
    if Task.isCancelled { return operation.cancelled }
    return operation.error(.timedOut, "no connection before the timeout")
  }

  // MARK: The lock

  /// Registers as a user of the link; waits while another program closes it.
  func enterLock(in central: isolated CentralManager) async throws(BLEError) {
    _ = try await poll(in: central) { device.lock.enter() == .busy ? nil : true }
  }

  /// Waits for the turn to open the link; returns false if a link exists by then.
  func takeTurnToOpen(in central: isolated CentralManager) async throws(BLEError) -> Bool {
    try await poll(in: central) {
      if central.isConnected(path) { return false }
      return device.lock.beginOpening() ? true : nil
    }
  }

  /// Polls every 10 ms until there is a result.
  ///
  /// The kernel reports a released lock only to a thread that sleeps in `F_OFD_SETLKW`, and this thread must
  /// not sleep. Programs hold these locks while BlueZ opens or closes a link: up to some seconds.
  private func poll(
    in central: isolated CentralManager, _ look: () -> Bool?
  ) async throws(BLEError) -> Bool {
    while true {
      if let result = look() { return result }
      if operation.deadline.isOver { throw timedOut }
      try await central.pause(.milliseconds(10), for: operation)
    }
  }

  // MARK: The services

  /// Waits until BlueZ found the services of the link, and the manager knows all of them.
  func waitForServices(in central: isolated CentralManager) async throws(BLEError) {
    let (path, operation) = (path, operation)
    let isResolved: Bool?
    do throws(BLEError) {
      isResolved = try await central.wait(for: operation) { model in
        guard let device = model.devices[path] else {
          return .failure(operation.error(.notFound, "BlueZ has forgotten the device"))
        }
        if !device.isConnected {
          let message = "the link was lost before the services were known"
          return .failure(operation.error(.connectionFailed, message))
        }
        return device.isResolved ? .success(true) : nil
      }
    } catch  where error.code == .notFound {
      // The adapter may have gone, and the device with it.
      throw await explainer.reasonOfNoLink(in: central)
    }
    if isResolved == nil { throw explainer.servicesMissing(in: central) }
    try await collectServices(in: central)
    try await learnMTU(in: central)
  }

  private func collectServices(in central: isolated CentralManager) async throws(BLEError) {
    let (path, operation) = (path, operation)
    try await passBarrier(in: central)
    if GATTTree(model: central.model).hasServices(path) { return }
    // None yet: a busy bluetoothd adds them a moment later; the others follow right after the first one.
    let hasServices: Bool? = try await central.wait(for: operation.within(.milliseconds(500))) { model in
      model.services.values.contains { $0.devicePath == path } ? .success(true) : nil
    }
    if hasServices == true { try await passBarrier(in: central) }
  }

  /// Asks for the MTU of the link where BlueZ has the characteristics from an earlier one: then it does not signal it.
  private func learnMTU(in central: isolated CentralManager) async throws(BLEError) {
    guard let known = central.model.characteristics(of: path).first(where: { $0.mtu == nil }) else { return }
    do throws(BLEError) {
      let answer = try await central.property("MTU", of: BlueZ.gattCharacteristic, at: known.path, operation)
      if case .uint16(let mtu)? = answer, central.isConnected(path) {
        central.model.setMTU(mtu, ofDevice: path)
      }
    } catch  where error.code != .cancelled {
      // The link is lost, the characteristic has gone, or BlueZ is older than 5.62: what follows says so.
    }
  }

  /// Waits for everything that bluetoothd has sent: ServicesResolved may overtake the services.
  func passBarrier(in central: isolated CentralManager) async throws(BLEError) {
    try await central.property("ServicesResolved", of: BlueZ.device, at: path, operation)
  }

  // MARK: The end of the link

  func waitUntilDisconnected(in central: isolated CentralManager) async throws(BLEError) {
    if try await device.waitForEnd(operation, in: central) { return }
    throw operation.error(.timedOut, "still connected")
  }

  /// Waits until the controller is ready for another link: BlueZ reports the end of the last one earlier.
  func rest(in central: isolated CentralManager) async throws(BLEError) {
    guard let time = device.link.rest(at: LoopClock.now) else { return }
    try await central.pause(time, for: operation)
  }

  /// Waits for the rest of a link to go down, and a little longer, unless another program connects meanwhile.
  func settleAfterFailure(in central: isolated CentralManager) async throws(BLEError) {
    let delay = device.link.nextDelay()
    guard try await device.waitForEnd(operation.within(.seconds(4)), in: central) else {
      return try await central.pause(delay, for: operation)
    }
    let path = path
    let _: Bool? = try await central.wait(for: operation.within(delay)) { model in
      model.devices[path]?.isConnected == true ? .success(true) : nil
    }
  }
}
