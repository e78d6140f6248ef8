// SPDX-License-Identifier: MIT
internal import BlueZClient
internal import DBus

/// Joins an existing link to one device.
struct LinkJoiner {
  let device: DeviceSession
  let operation: Operation

  /// The time that BlueZ takes to end a link after Disconnect: 2 s, plus a margin for the radio.
  private static let timeToClose = Duration.milliseconds(2800)
  /// The time limit for a device to prove that its link exists.
  ///
  /// Other requests may be queued before ours.
  private static let timeToProve = Duration.seconds(1)

  private var core: CentralCore { device.core }
  private var path: String { device.path }
  private var waits: LinkWaits { LinkWaits(device: device, operation: operation) }

  /// Uses the link, unless it is being closed; returns false once the link has ended.
  func join() async throws(BLEError) -> Bool {
    if core.client.model.devices[path]?.isResolved != true {
      do throws(BLEError) {
        try await waits.waitForServices()
      } catch {
        guard error.code == .connectionFailed else { throw error }
        return false
      }
    }
    try await waitIfClosing()
    try await requireAnswer()
    guard core.isConnected(path) else { return false }
    device.lock.look()
    device.link.hold(.joined)
    return true
  }

  /// Waits for the end of a link that is being closed; returns at once if it is not.
  ///
  /// Disconnect, by any program, only starts a timer of 2 s, which no property shows. StartNotify reveals it:
  /// while the timer runs, BlueZ refuses it with NotConnected before any other check. Otherwise, on a
  /// characteristic that cannot notify, the answer is NotSupported, and nothing is sent to the device.
  /// Without such a characteristic, this waits as long as the timer runs, since the link may be about to end.
  private func waitIfClosing() async throws(BLEError) {
    var limit = operation.within(LinkJoiner.timeToClose)
    let probe = core.client.model.characteristics(of: path).first {
      $0.properties.isDisjoint(with: [.notify, .indicate])
    }
    if let probe {
      guard try await isRefusedAsDisconnecting(probe.path) else { return }
      limit = operation
    }
    guard try await !device.waitForEnd(limit), operation.deadline.isOver else { return }
    throw operation.error(.timedOut, "a link that was being closed had not ended when the time was over")
      .advising(.tryAgain)
  }

  private func isRefusedAsDisconnecting(
    _ characteristicPath: String
  ) async throws(BLEError) -> Bool {
    do {
      let message = Message(
        call: "StartNotify", of: BlueZ.gattCharacteristic, at: characteristicPath, to: BlueZ.service)
      try await core.client.call(message, for: operation)
      core.connection.post(
        Message(call: "StopNotify", of: BlueZ.gattCharacteristic, at: characteristicPath, to: BlueZ.service))
      return false
    } catch {
      switch error.code {
      case .disconnected: return true
      case .timedOut, .cancelled, .serviceUnavailable, .busUnavailable: throw error
      default: return false
      }
    }
  }

  /// Has the device prove that its link still exists, or waits for the end of the link.
  ///
  /// After BlueZ's 2 s, nothing shows that the radio is still ending the link. This reads the configuration
  /// of notifications, which needs no pairing and has no effect; an error from the device proves as much. If
  /// the device has none, or takes long, the link is assumed to exist, unless the deadline comes first.
  private func requireAnswer() async throws(BLEError) {
    guard core.isConnected(path),
      let configuration = HarmlessReads(device: device).configuration()
    else { return }
    do {
      try await configuration.request(.read(), operation.within(LinkJoiner.timeToProve))
    } catch {
      switch error.code {
      case .cancelled, .serviceUnavailable, .busUnavailable: throw error
      case .timedOut where operation.deadline.isOver: throw error
      default: break
      }
    }
  }
}
