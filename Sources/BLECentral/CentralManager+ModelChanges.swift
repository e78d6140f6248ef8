// SPDX-License-Identifier: MIT
internal import DBus

/// Passing on what changes in the model: to the sessions of its objects, to the tasks that wait, and to the readers of
/// events.
extension CentralManager {
  func follow(_ changes: [ObjectModel.Change]) {
    logMismatches()
    for change in changes {
      follow(change)
      reporter.report(change, in: self)
    }
  }

  private func follow(_ change: ObjectModel.Change) {
    switch change {
    case .value(let path, let bytes):
      attributeSessions[path]?.notifications?.signalled(bytes)
      return  // no condition depends on a value
    case .deviceAdded(let path):
      advertised(path, .rssi)
      reportAwaited(path)
    case .device(let path, let properties):
      if !properties.contains(.rssi) { stateChanged(ofDevice: path) }
      if !properties.isEmpty { advertised(path, properties) }
    case .linkLost(let path):
      deviceSessions[path]?.linkLost(in: self)
      agent.questions.withdraw(about: path, in: self)
    case .deviceRemoved(let device):
      adapterSessions[device.adapterPath]?.lost(device, in: nil, self)
      deviceSessions[device.path]?.deviceRemoved(in: self)
      agent.questions.withdraw(about: device.path, in: self)
      abandonCalls(under: device.path, "the device is gone")
    case .adapter(let path):
      if let adapter = model.adapters[path] { adapterSessions[path]?.adapterChanged(adapter, in: self) }
      stateMayHaveChanged()
      failScans()
    case .adapterRemoved(let path):
      let session = adapterSessions.removeValue(forKey: path)
      abandonCalls(under: path, "the adapter is gone")
      stateMayHaveChanged()
      session?.end(because: session?.reasonToEndScans(in: self), in: self)
    case .attributeRemoved(let path):
      abandonCalls(under: path, "the attribute is gone")
      attributeSessions.removeValue(forKey: path)?.attributeRemoved()
    case .attributes, .services: break
    }
    conditions.look(at: model, outage: outage)
  }

  /// Passes on that anything may have changed.
  func modelChanged() {
    conditions.look(at: model, outage: outage)
    stateMayHaveChanged()
    reporter.reportEverything(in: self)
  }

  /// Ends the calls of an object and of those below it, which cannot be answered any more.
  func abandonCalls(under path: String, _ message: String) {
    connection.assumeIsolated { $0.abandonCalls(under: path, because: message) }
  }
}
