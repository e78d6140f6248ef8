// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

/// The waits of an operation that opens, joins or closes the link to one device.
struct LinkWaits {
  let device: DeviceSession
  let operation: Operation

  private var core: CentralCore { device.core }
  private var path: String { device.path }
  private var explainer: FailureExplainer { FailureExplainer(device, operation) }

  var timedOut: BLEError {
    if Task.isCancelled { return operation.cancelled }
    return operation.error(.timedOut, "no connection before the timeout")
  }

  // MARK: The lock

  /// Registers as a user of the link; waits while another program closes it.
  func enterLock() async throws(BLEError) {
    _ = try await poll() { device.lock.enter() == .busy ? nil : true }
  }

  /// Waits for the turn to open the link; returns false if a link exists by then.
  func takeTurnToOpen() async throws(BLEError) -> Bool {
    try await poll() {
      if core.isConnected(path) { return false }
      return device.lock.beginOpening() ? true : nil
    }
  }

  /// Polls every 10 ms until there is a result.
  ///
  /// The kernel reports a released lock only to a thread that sleeps in `F_OFD_SETLKW`, and this thread must
  /// not sleep. Programs hold these locks while BlueZ opens or closes a link: up to some seconds.
  private func poll(
    _ look: () -> Bool?
  ) async throws(BLEError) -> Bool {
    while true {
      if let result = look() { return result }
      if operation.deadline.isOver { throw timedOut }
      try await core.pause(.milliseconds(10), for: operation)
    }
  }

  // MARK: The services

  /// Waits until BlueZ found the services of the link, and the manager knows all of them.
  func waitForServices() async throws(BLEError) {
    let isResolved: Bool?
    do throws(BLEError) {
      isResolved = try await core.wait(for: operation) { model in
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
      throw await explainer.reasonOfNoLink()
    }
    if isResolved == nil { throw explainer.servicesMissing() }
    try await collectServices()
    try await learnMTU()
  }

  private func collectServices() async throws(BLEError) {
    try await passBarrier()
    if GATTTree(model: core.client.model).hasServices(path) { return }
    // None yet: a busy bluetoothd adds them a moment later; the others follow right after the first one.
    let hasServices: Bool? = try await core.wait(for: operation.within(.milliseconds(500))) { model in
      model.services.values.contains { $0.devicePath == path } ? .success(true) : nil
    }
    if hasServices == true { try await passBarrier() }
  }

  /// Asks for the MTU of the link where BlueZ has the characteristics from an earlier one: then it does not signal it.
  private func learnMTU() async throws(BLEError) {
    guard let known = core.client.model.characteristics(of: path).first(where: { $0.mtu == nil }) else {
      return
    }
    do throws(BLEError) {
      let answer = try await core.property("MTU", of: BlueZ.gattCharacteristic, at: known.path, operation)
      if case .uint16(let mtu)? = answer, core.isConnected(path) {
        core.client.model.setMTU(mtu, ofDevice: path)
      }
    } catch  where error.code != .cancelled {
      // The link is lost, the characteristic has gone, or BlueZ is older than 5.62: what follows says so.
    }
  }

  /// Waits for everything that bluetoothd has sent: ServicesResolved may overtake the services.
  func passBarrier() async throws(BLEError) {
    try await core.property("ServicesResolved", of: BlueZ.device, at: path, operation)
  }

  // MARK: The end of the link

  func waitUntilDisconnected() async throws(BLEError) {
    if try await device.waitForEnd(operation) { return }
    throw operation.error(.timedOut, "still connected")
  }

  /// Waits until the controller is ready for another link: BlueZ reports the end of the last one earlier.
  func rest() async throws(BLEError) {
    guard let time = device.link.rest(at: LoopClock.now) else { return }
    try await core.pause(time, for: operation)
  }

  /// Waits for the rest of a link to go down, and a little longer, unless another program connects meanwhile.
  func settleAfterFailure() async throws(BLEError) {
    let delay = device.link.nextDelay()
    guard try await device.waitForEnd(operation.within(.seconds(4))) else {
      return try await core.pause(delay, for: operation)
    }
    let path = path
    let _: Bool? = try await core.wait(for: operation.within(delay)) { model in
      model.devices[path]?.isConnected == true ? .success(true) : nil
    }
  }
}
