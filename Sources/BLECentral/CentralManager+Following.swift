// SPDX-License-Identifier: MIT
internal import BlueZClient
internal import DBus

/// Passing on what changes in BlueZ: to the sessions of its objects, to the tasks that wait, and to the readers of events.
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

  /// Passes on that anything may have changed.
  private func everythingChanged() {
    conditions.look(at: model, outage: outage)
    sessions.failScans(in: self)
    reporter.reportEverything(in: self)
    guard let outage else { return agent.restore(in: self) }
    if outage.isFinal { reporter.end(because: outage) }
  }
}
