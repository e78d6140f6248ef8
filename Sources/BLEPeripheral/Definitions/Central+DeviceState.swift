// SPDX-License-Identifier: MIT
internal import BlueZClient

extension Central {
  /// A device as a central; nil without an address.
  init?(_ device: DeviceState) {
    guard let address = device.address else { return nil }
    self.init(address: address, name: device.name, path: device.path)
  }
}
