// SPDX-License-Identifier: MIT

extension CentralManager {
  /// The message of errors that the loss of a link causes.
  static let linkWasLost = "the link was lost"

  /// Goes on only with a link.
  ///
  /// - Throws: why there is none: it was never opened, it was lost under our hands, or its adapter is off or gone.
  func requireLink(_ devicePath: String, for operation: String) async throws(BLEError) {
    if outage == nil, model.devices[devicePath]?.isConnected == true { return }
    throw await reasonOfNoLink(devicePath, for: operation)
  }

  /// Why a device has no link.
  func reasonOfNoLink(_ devicePath: String, for operation: String) async -> BLEError {
    let isLost = links[devicePath]?.use == .lost
    if isLost || outage != nil {
      do { try await requireRadio(under: devicePath, for: operation) } catch { return error }
    }
    guard model.devices[devicePath] != nil else {
      return BLEError(.notFound, operation: operation, message: "BlueZ has forgotten the device")
    }
    return BLEError(
      .disconnected, operation: operation,
      message: isLost ? CentralManager.linkWasLost : "the device is not connected")
  }

  /// BlueZ tells first that the links are gone, then that the adapter is off, or is itself gone.
  private func requireRadio(under devicePath: String, for operation: String) async throws(BLEError) {
    let adapter = BlueZ.adapterPath(ofDevice: devicePath)
    let isAway: Bool? = try await wait(
      for: operation, until: Deadline(after: CentralManager.reasonTime)
    ) { model in
      model.adapters[adapter]?.isPowered == true ? nil : .success(true)
    }
    if isAway == true { _ = try poweredAdapter(for: operation) }
  }
}
