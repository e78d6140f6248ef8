// SPDX-License-Identifier: MIT
internal import BlueZClient

extension Central {
  /// Fails if the device has no address.
  init?(_ device: DeviceState) {
    guard let address = device.address else { return nil }
    self.init(address: address, name: device.displayName, path: device.path)
  }
}
