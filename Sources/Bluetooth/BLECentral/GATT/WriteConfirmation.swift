// SPDX-License-Identifier: MIT

/// Proves that one device received the writes without response that bluetoothd accepted.
struct WriteConfirmation {
  let device: DeviceSession
  /// Called just before each request that the device's answer is for.
  var willAsk: () -> Void = {}

  private var core: CentralCore { device.core }

  /// Waits until the device received the commands; nil stands for all that are not confirmed.
  ///
  /// bluetoothd answers a command when it has queued it. ATT sends a request only after the commands queued
  /// before it, and the device answers in order: its answer, even an error, proves that they arrived.
  ///
  /// - Throws: ``BLEError``: `disconnected` if the link was lost before; `timedOut` …
  func confirm(
    of commands: Range<Int>? = nil, _ operation: Operation
  ) async throws(BLEError) {
    let first = device.commands.firstUnreported
    let sent = commands ?? first..<max(first, device.commands.countBeforeRequest)
    if try await areConfirmed(sent, operation) { return }
    // A read would overtake what another call has put into a socket.
    while device.commands.countBeforeRequest < sent.upperBound {
      try await core.pause(.milliseconds(1), for: operation)
      if try await areConfirmed(sent, operation) { return }
      guard !operation.deadline.isOver else {
        throw operation.error(.timedOut, "BlueZ did not read the values before the timeout")
      }
    }
    try await device.requireLink(operation)
    var failure = operation.error(.notSupported, "the device has no attribute that can be read")
    for attribute in HarmlessReads(device: device).attributes() {
      do {
        try await attribute.request(.read(), operation, willAsk: willAsk)
      } catch {
        failure = error
      }
      if try await areConfirmed(sent, operation) { return }
      guard failure.code == .attributeError else { break }
    }
    throw failure
  }

  /// Returns whether the commands arrived; throws once if some were lost, even if another link exists by now.
  private func areConfirmed(
    _ sent: Range<Int>, _ operation: Operation
  ) async throws(BLEError) -> Bool {
    if sent.isEmpty { return true }
    guard let fate = device.commands.fate(of: sent) else { return false }
    device.commands.report(sent)
    switch fate {
    case .arrived: return true
    case .lost: break
    case .unread:
      var error = operation.error(.failed, "a call was given up before BlueZ had read its values")
      error.mayHaveTakenEffect = true
      throw error
    }
    var error = device.loss(during: operation.action)
    if device.link.isLost { error = await FailureExplainer(device, operation).reasonOfNoLink() }
    error.mayHaveTakenEffect = true
    throw error
  }
}
