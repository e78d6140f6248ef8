// SPDX-License-Identifier: MIT
internal import AsyncIO

extension CentralManager {
  /// How long the reason of a lost link may come after its loss: BlueZ tells first that the links are gone, then that
  /// the adapter is off, or is itself gone.
  static let reasonTime = Duration.milliseconds(300)

  /// Ends what hangs on a link: BlueZ answers pending requests itself, mostly; what it forgets ends here.
  func linkLost(_ path: String, isObjectGone: Bool) {
    links[path]?.lost(at: isObjectGone ? nil : LoopClock.now)
    let prefix = path + "/"
    var ended: [NotifySession] = []
    for (characteristic, session) in notifySessions where characteristic.hasPrefix(prefix) {
      notifySessions[characteristic] = nil
      ended.append(session)
      if !isObjectGone { stopSignals(characteristic, session) }
    }
    endLater(ended)
    guard !isObjectGone else { return }
    let grace = LoopClock.now + .milliseconds(200)
    _ = loop.schedule(at: grace) { [weak self] in
      self?.assumeIsolated { central in
        guard central.model.devices[path]?.isConnected == false else { return }
        for service in central.model.services.values where service.devicePath == path {
          central.abandonCalls(under: service.path, CentralManager.linkWasLost)
        }
      }
    }
  }

  /// Ends subscriptions whose link is gone, as soon as it can be known why.
  ///
  /// Because the adapter was switched off, or bluetoothd ended, or else because of the link itself. Until then what waits
  /// in their sockets is read.
  ///
  /// - Parameters:
  ///   - sessions: the subscriptions.
  ///   - reason: why they end, where that is known.
  func endLater(_ sessions: [NotifySession], because reason: BLEError? = nil) {
    if sessions.isEmpty { return }
    let moment = Moment()
    _ = loop.schedule(at: LoopClock.now + CentralManager.reasonTime) { [weak self] in
      let reason = reason ?? self?.assumeIsolated { $0.reasonOfLoss }
      for session in sessions { session.end(reason ?? CentralManager.lost, at: moment) }
    }
  }

  private static let lost = BLEError.notificationsStopped(.disconnected, linkWasLost)

  private var reasonOfLoss: BLEError {
    do throws(BLEError) {
      _ = try poweredAdapter(for: CentralManager.lost.operation)
      return CentralManager.lost
    } catch {
      return .notificationsStopped(error.code, error.message)
    }
  }
}
