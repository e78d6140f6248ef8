// SPDX-License-Identifier: MIT
internal import DBus

/// The properties of an `org.bluez.Adapter1`.
struct AdapterState: AdapterProperties {
  let path: String
  var address = ""
  var name: String?
  var alias: String?
  var isPowered = false
  var isDiscovering = false
  /// Whether other devices may pair: mostly, whether a program has registered an agent.
  var isPairable = false
  var powerState: String?
  var modalias: String?

  /// Whether BlueZ reports why a link ends, as far as its version is known: `Device1.Disconnected` exists since 5.83.
  var reportsLinkEnds: Bool {
    guard let version = modalias.flatMap({ BlueZVersion(modalias: $0) }) else { return true }
    return version >= BlueZVersion(major: 5, minor: 83)
  }

  init(path: String) { self.path = path }

  mutating func apply(_ key: WireText, _ signature: WireText, _ reader: inout WireReader) -> PropertyOutcome {
    switch key {
    case "Address": reader.string(signature, into: &address)
    case "Name": reader.string(signature, into: &name)
    case "Alias": reader.string(signature, into: &alias)
    case "Powered": reader.boolean(signature, into: &isPowered)
    case "Discovering": reader.boolean(signature, into: &isDiscovering)
    case "Pairable": reader.boolean(signature, into: &isPairable)
    case "PowerState": reader.string(signature, into: &powerState)
    case "Modalias": reader.string(signature, into: &modalias)
    default: .ignored
    }
  }
}
