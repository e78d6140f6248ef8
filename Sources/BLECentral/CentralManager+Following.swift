// SPDX-License-Identifier: MIT
internal import BlueZClient
internal import DBus

/// Passing on what changes in BlueZ: to the sessions of its objects, to the tasks that wait, and to the readers of events.
extension CentralManager {
  func follow(_ change: BlueZClient.Change) {
    switch change {
    case .objects(let changes):
      for change in changes {
        follow(change)
        reporter.report(change, in: self)
      }
    case .lost(let error, _): endSessions(because: error)
    case .everything: everythingChanged()
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
      client.abandonCalls(under: device.path, "the device is gone")
    case .adapter(let path):
      if let adapter = model.adapters[path] { adapterSessions[path]?.adapterChanged(adapter, in: self) }
      failScans()
    case .adapterRemoved(let path):
      let session = adapterSessions.removeValue(forKey: path)
      client.abandonCalls(under: path, "the adapter is gone")
      failScans()
      session?.end(because: session?.reasonToEndScans(in: self), in: self)
    case .attributeRemoved(let path):
      client.abandonCalls(under: path, "the attribute is gone")
      attributeSessions.removeValue(forKey: path)?.attributeRemoved()
    case .linkOpened, .attributes, .services: break
    }
    conditions.look(at: model, outage: outage)
  }

  /// Passes on that anything may have changed.
  private func everythingChanged() {
    conditions.look(at: model, outage: outage)
    failScans()
    reporter.reportEverything(in: self)
    guard let outage else { return agent.restore(in: self) }
    if outage.isFinal { reporter.end(because: outage) }
  }

  /// Ends everything that depends on bluetoothd.
  private func endSessions(because error: BLEError) {
    let (adapters, attributes) = (adapterSessions.values, attributeSessions.values)
    (adapterSessions, deviceSessions, attributeSessions) = ([:], [:], [:])
    for adapter in adapters { adapter.end(because: error.during(.scan), in: self) }
    for attribute in attributes { attribute.endNotifications(because: error, in: self) }
    agent.serviceLost(in: self)
  }
}
