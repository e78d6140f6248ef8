// SPDX-License-Identifier: MIT
internal import BlueZClient

/// The centrals with a link; confined to the thread of the manager's loop.
final class Centrals {
  private let client: BlueZClient
  /// The paths of the devices with a link; the sender of the most recent request is last.
  private(set) var recent: [String] = []
  /// The addresses that they had when BlueZ last reported them, by path.
  private var addresses: [String: BluetoothAddress] = [:]

  init(_ client: BlueZClient) { self.client = client }

  func everythingChanged() {
    recent = client.model.devices.connected.map(\.path)
    addresses = [:]
    for path in recent { noteAddress(path) }
  }

  func connected(_ path: String) {
    recent.append(path)
    noteAddress(path)
  }

  func disconnected(_ path: String) {
    recent.removeAll { $0 == path }
    addresses[path] = nil
  }

  private func noteAddress(_ path: String) { addresses[path] = client.model.devices[path]?.address }

  /// Returns whether the address of a device with a link has changed since this was called last: pairing reveals the own
  /// address of a central with a private one.
  func takeNewAddress(_ path: String) -> Bool {
    guard let former = addresses[path] else { return false }
    noteAddress(path)
    return addresses[path] != former
  }

  /// Returns the sender of a request, and records it as the most recent one.
  func sender(_ path: String) -> Central? {
    if recent.last != path, let index = recent.firstIndex(of: path) {
      recent.append(recent.remove(at: index))
    }
    return self[path]
  }

  subscript(path: String) -> Central? {
    client.model.devices.load(path)
    if let known = client.model.devices[path].flatMap({ Central($0) }) { return known }
    // BlueZ calls before it announces a device that has just connected.
    let digits = path.split(separator: "/").last?.dropFirst("dev_".count) ?? ""
    return BluetoothAddress(digits.split(separator: "_").joined(separator: ":")).map {
      Central(address: $0, name: nil, path: path)
    }
  }
}
