// SPDX-License-Identifier: MIT
internal import BlueZClient

/// The centrals with a link.
///
/// Confined to the thread of the manager's loop.
final class Centrals: @unchecked Sendable {
  private let client: BlueZClient
  /// The paths of the devices with a link, that of the most recent request last.
  private(set) var recent: [String] = []

  init(_ client: BlueZClient) { self.client = client }

  /// The devices of BlueZ may all have changed.
  func everythingChanged() { recent = client.model.devices.connected.map(\.path) }

  func connected(_ path: String) { recent.append(path) }

  func disconnected(_ path: String) { recent.removeAll { $0 == path } }

  /// The central that has sent a request: it is the most recent one.
  func sender(_ path: String) -> Central? {
    if recent.last != path, let index = recent.firstIndex(of: path) {
      recent.append(recent.remove(at: index))
    }
    return self[path]
  }

  /// The central of a device, as BlueZ knows it now.
  subscript(path: String) -> Central? {
    client.model.devices.load(path)
    if let known = client.model.devices[path].flatMap({ Central($0) }) { return known }
    // BlueZ calls before it has announced a device that has just connected.
    let digits = path.split(separator: "/").last?.dropFirst("dev_".count) ?? ""
    return BluetoothAddress(digits.split(separator: "_").joined(separator: ":")).map {
      Central(address: $0, name: nil, path: path)
    }
  }
}
