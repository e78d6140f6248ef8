// SPDX-License-Identifier: MIT
internal import AsyncIO

extension DeviceSession {
  /// How long the reason of a lost link may come after the loss: BlueZ reports first that the links are gone, then that
  /// the adapter is off, or is itself gone.
  static let reasonTime = Duration.milliseconds(300)
  /// How long BlueZ may take to answer the requests that a lost link leaves behind.
  private static let timeToAnswer = Duration.milliseconds(200)
  /// The message of errors that the loss of a link causes.
  static let linkWasLost = "the link was lost"

  /// Ends what depends on the link.
  ///
  /// BlueZ mostly answers pending requests itself; those that it forgets end here.
  func linkLost(in central: isolated CentralManager) {
    lost(at: LoopClock.now)
    for attribute in central.attributes(of: self) { attribute.linkLost(in: central) }
    _ = central.loop.schedule(at: LoopClock.now + DeviceSession.timeToAnswer) { [path] in
      guard central.model.devices[path]?.isConnected == false else { return }
      for service in central.model.services.values where service.devicePath == path {
        central.abandonCalls(under: service.path, DeviceSession.linkWasLost)
      }
    }
  }

  /// Ends what depends on the device.
  func deviceRemoved(in central: isolated CentralManager) {
    lost(at: nil)
    for attribute in central.attributes(of: self) {
      attribute.endNotifications(in: central)
      central.attributeSessions[attribute.path] = nil
    }
  }

  // MARK: Requiring a link

  /// Continues only with a link.
  ///
  /// - Throws: why there is none: it was never opened, it was lost, or its adapter is off or gone.
  func requireLink(_ operation: Operation, in central: isolated CentralManager) async throws(BLEError) {
    if central.outage == nil, central.isConnected(path) { return }
    throw await reasonOfNoLink(operation, in: central)
  }

  /// Why the device has no link.
  func reasonOfNoLink(_ operation: Operation, in central: isolated CentralManager) async -> BLEError {
    let isLost = use == .lost
    if isLost || central.outage != nil {
      do { try await requireRadio(operation, in: central) } catch { return error }
    }
    guard central.model.devices[path] != nil else {
      return operation.error(.notFound, "BlueZ has forgotten the device")
    }
    return operation.error(.disconnected, isLost ? DeviceSession.linkWasLost : "the device is not connected")
  }

  /// Throws when the adapter is off or gone, or becomes so in the time that BlueZ takes to report it.
  private func requireRadio(
    _ operation: Operation, in central: isolated CentralManager
  ) async throws(BLEError) {
    let adapter = BlueZ.adapterPath(ofDevice: path)
    let isAway: Bool? = try await central.wait(
      for: Operation(operation.name, timeout: DeviceSession.reasonTime)
    ) { model in
      model.adapters[adapter]?.isPowered == true ? nil : .success(true)
    }
    if isAway == true { _ = try central.poweredAdapter(for: operation.name) }
  }
}
