// SPDX-License-Identifier: MIT
package import BLEFormats

/// The facts that a proxy tells everyone about itself.
package struct ProxyIdentity: Sendable {
  /// The name on the network.
  package var name: ProxyName
  /// The name for people.
  package var friendlyName: String
  /// The address of the adapter, which identifies the proxy for ever.
  package var address: BluetoothAddress
  /// The number of devices that clients may be connected to; 0 only forwards advertisements.
  package var maxConnections: Int
  /// The version of the program.
  package var version: String

  package init(
    name: ProxyName, friendlyName: String, address: BluetoothAddress, maxConnections: Int, version: String
  ) {
    (self.name, self.friendlyName, self.address) = (name, friendlyName, address)
    (self.maxConnections, self.version) = (maxConnections, version)
  }

  /// The version of the API that is spoken.
  ///
  /// From 1.15 on, clients also wait for the answer to another question; they learn nothing from it.
  static let api = APIVersion(major: 1, minor: 14)
  /// The release of ESPHome with this interface.
  static let esphomeVersion = "2026.10.0"

  var features: FeatureFlags {
    let scanning: FeatureFlags = [.passiveScan, .rawAdvertisements, .stateAndMode]
    // Not the parameters of links: BlueZ has no call for them.
    return maxConnections == 0
      ? scanning : scanning.union([.connections, .remoteCaching, .pairing, .cacheClearing])
  }

  func deviceInfo(isEncrypted: Bool) -> DeviceInfo {
    DeviceInfo(
      name: name, address: address, esphomeVersion: Self.esphomeVersion, model: "Bluetooth proxy (BlueZ)",
      manufacturer: "blectl", projectName: "blectl.proxy", projectVersion: version,
      friendlyName: friendlyName,
      features: features, bluetoothAddress: address, isEncrypted: isEncrypted)
  }

  /// The announcement by mDNS: a text has at most 255 bytes.
  package func texts(isEncrypted: Bool) -> [String] {
    [
      "mac=\(Hex.string(address.bytes))", "friendly_name=\(announcedName)", "version=\(Self.esphomeVersion)",
      "platform=Linux",
      "network=ethernet", "project_name=blectl.proxy", "project_version=\(version)",
    ] + (isEncrypted ? ["api_encryption=Noise_NNpsk0_25519_ChaChaPoly_SHA256"] : [])
  }

  private var announcedName: String {
    var name = friendlyName
    while name.utf8.count > 255 - "friendly_name=".utf8.count { name.unicodeScalars.removeLast() }
    return name
  }
}
