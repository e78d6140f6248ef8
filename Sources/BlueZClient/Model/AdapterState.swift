// SPDX-License-Identifier: MIT
package import BLECore
internal import DBus

/// The properties of an `org.bluez.Adapter1`, and what else its object can do.
package struct AdapterState: Sendable {
  /// The managers that the adapter's object has as interfaces.
  package struct Managers: OptionSet, Sendable {
    package let rawValue: UInt8
    /// `GattManager1`: it can offer services.
    package static let services = Self(rawValue: 1)
    /// `LEAdvertisingManager1`: it can advertise.
    package static let advertising = Self(rawValue: 2)
    /// `AdvertisementMonitorManager1`: it can scan passively.
    package static let monitors = Self(rawValue: 4)

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The manager that an interface is; nil for all others.
    init?(_ interface: WireText) {
      switch interface {
      case "org.bluez.GattManager1": self = .services
      case "org.bluez.LEAdvertisingManager1": self = .advertising
      case "org.bluez.AdvertisementMonitorManager1": self = .monitors
      default: return nil
      }
    }
  }

  package let path: String
  package var address = ""
  package var name: String?
  package var alias: String?
  package var isPowered = false
  package var isDiscovering = false
  /// Whether other devices may pair: usually, whether a program has registered an agent.
  package var isPairable: Bool?
  /// `on`, `off`, `off-blocked` …; since BlueZ 5.73, before only with experimental features.
  package var powerState: String?
  package var modalias: String?
  /// `central`, `peripheral`, `central-peripheral`; nil before BlueZ 5.50.
  package var roles: [String]?
  package var managers: Managers = []

  package init(path: String) { self.path = path }

  /// `hci0`.
  package var identifier: String { BlueZ.adapterName(ofPath: path) }

  /// Whether rfkill blocks it.
  package var isBlocked: Bool { powerState == "off-blocked" }

  /// The version of bluetoothd; nil where its device id is set to another one.
  package var version: BlueZVersion? { modalias.flatMap { BlueZVersion(modalias: $0) } }

  /// Whether BlueZ reports why a link ends, as far as its version is known: `Device1.Disconnected` exists since 5.83.
  package var reportsLinkEnds: Bool {
    guard let version else { return true }
    return version >= BlueZVersion(major: 5, minor: 83)
  }

  /// - Throws: ``BLEError`` with code `blocked` or `poweredOff`.
  package func requirePower(for action: BLEError.Action) throws(BLEError) {
    if isPowered { return }
    throw isBlocked
      ? BLEError(.blocked, during: action, "the adapter \(identifier) is blocked (rfkill)")
      : BLEError(.poweredOff, during: action, "the adapter \(identifier) is off")
  }

  mutating func apply(_ key: WireText, _ signature: WireText, _ reader: inout WireReader) -> PropertyOutcome {
    switch key {
    case "Address": return reader.string(signature, into: &address)
    case "Name": return reader.string(signature, into: &name)
    case "Alias": return reader.string(signature, into: &alias)
    case "Powered": return reader.boolean(signature, into: &isPowered)
    case "Discovering": return reader.boolean(signature, into: &isDiscovering)
    case "Pairable":
      var value = false
      let outcome = reader.boolean(signature, into: &value)
      if outcome == .applied { isPairable = value }
      return outcome
    case "PowerState": return reader.string(signature, into: &powerState)
    case "Modalias": return reader.string(signature, into: &modalias)
    case "Roles":
      var value: [String] = []
      let outcome = reader.strings(signature, into: &value)
      if outcome == .applied { roles = value }
      return outcome
    default: return .ignored
    }
  }
}

extension BluetoothState {
  /// What a client of BlueZ can do while `outage` lasts, or else with the adapter in use.
  package init(_ outage: BLEError?, _ adapter: AdapterState?) {
    if let outage {
      self = outage.isFinal ? .busUnavailable : .serviceUnavailable
    } else if let adapter {
      self = adapter.isPowered ? .poweredOn : adapter.isBlocked ? .blocked : .poweredOff
    } else {
      self = .unsupported
    }
  }
}
