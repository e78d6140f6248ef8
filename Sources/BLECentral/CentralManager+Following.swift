// SPDX-License-Identifier: MIT
internal import BlueZClient
internal import DBus

/// Forwards changes in BlueZ to the sessions, the waiting tasks and the readers of events.
extension CentralManager {
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
