// SPDX-License-Identifier: MIT

/// Proves that one device received the writes without response that bluetoothd accepted.
struct WriteConfirmation {
  let device: DeviceSession

  /// Waits until the device received the commands from `first` on; nil starts with the first unconfirmed one.
  ///
  /// bluetoothd answers a command when it has queued it. ATT sends a request only after the commands queued
  /// before it, and the device answers in order: its answer, even an error, proves that they arrived.
  ///
  /// - Throws: ``BLEError``: `disconnected` if the link was lost before; `timedOut` …
  func confirm(
    from first: Int? = nil, _ operation: Operation, in central: isolated CentralManager
  ) async throws(BLEError) {
    let sent = (first ?? device.commands.firstUnreported)..<device.commands.count
    if try await areConfirmed(sent, operation, in: central) { return }
    try await device.requireLink(operation, in: central)
    var failure = operation.error(.notSupported, "the device has no attribute that can be read")
    for attribute in HarmlessReads(device: device).attributes(in: central) {
      do {
        _ = try await attribute.read(operation, in: central)
      } catch {
        failure = error
      }
      if try await areConfirmed(sent, operation, in: central) { return }
      guard failure.code == .attributeError else { break }
    }
    throw failure
  }

  /// Whether the commands arrived; throws once if some were lost, even if another link exists by now.
  private func areConfirmed(
    _ sent: Range<Int>, _ operation: Operation, in central: isolated CentralManager
  ) async throws(BLEError) -> Bool {
    if sent.isEmpty { return true }
    guard let fate = device.commands.fate(of: sent) else { return false }
    device.commands.report(sent)
    if fate == .arrived { return true }
    var error = device.loss(during: operation.action, in: central)
    if device.link.isLost { error = await FailureExplainer(device, operation).reasonOfNoLink(in: central) }
    error.mayHaveTakenEffect = true
    throw error
  }
}
