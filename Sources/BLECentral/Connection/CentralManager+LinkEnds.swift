// SPDX-License-Identifier: MIT
internal import BlueZClient
internal import DBus

extension CentralManager {
  /// Listens to why links end, before the first one is used; an older BlueZ does not report that.
  func followLinkEnds(of adapterPath: String) async {
    guard !followsLinkEnds, model.adapters[adapterPath]?.reportsLinkEnds == true else { return }
    followsLinkEnds = true
    await client.follow("Disconnected", of: BlueZ.device) { [weak self] message in
      self?.assumeIsolated { $0.linkEnded(message) }
    }
  }

  /// Why a link ends, which BlueZ reports before the end itself.
  private func linkEnded(_ message: Message) {
    guard let path = message.path else { return }
    let isLocal = message.values.first?.text == "org.bluez.Reason.Local"
    deviceSessions[path]?.link.endReported(byBlueZ: isLocal)
  }
}
