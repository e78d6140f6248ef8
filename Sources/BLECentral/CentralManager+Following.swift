// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient

/// Forwards changes in BlueZ to the sessions, the waiting tasks and the readers of events.
extension CentralManager {
  /// Does something once BlueZ has reported why a link or an adapter was lost: it was switched off, or bluetoothd ended.
  func whenReasonIsKnown(_ body: @escaping @Sendable (isolated CentralManager) -> Void) {
    _ = loop.schedule(at: LoopClock.now + DeviceSession.reasonTime) { [weak self] in
      // After everything that bluetoothd sent so far: a busy machine may not have read it yet.
      self?.assumeIsolated { central in
        central.client.begin(BlueZ.ping, timeout: .seconds(1)) { [weak central] _ in
          central?.assumeIsolated { body($0) }
        }
      }
    }
  }

  func follow(_ change: BlueZClient.Change) {
    switch change {
    case .objects(let changes):
      for change in changes {
        sessions.follow(change, in: self)
        reporter.report(change, in: self)
      }
    case .lost(let error, _): sessions.end(because: error, in: self)
    case .everything: everythingChanged()
    }
  }

  private func everythingChanged() {
    conditions.look(at: model, outage: outage)
    sessions.failScans(in: self)
    reporter.reportEverything(in: self)
    guard let outage else { return agent.restore(in: self) }
    if outage.isFinal { reporter.end(because: outage) }
  }
}
