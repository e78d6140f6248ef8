// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
package import ValueStreams

/// The names of the devices that a pattern stands for, on a terminal.
package final class DeviceTitles: Sendable {
  /// The device that has each name alone.
  private let owners = Lock<[String: BluetoothAddress]>([:])

  package init() {}

  /// Returns the name of a device, with its address behind it if another one has that name; nil without a name.
  package func title(of device: HeardDevice) -> String? {
    guard let name = device.name, !name.isEmpty else { return nil }
    let owner = owners.withLock { owners in
      let owner = owners[name] ?? device.address
      owners[name] = owner
      return owner
    }
    return owner == device.address ? name : "\(name) (\(device.address))"
  }
}
