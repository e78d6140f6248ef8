// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import DBus

/// The properties of an `org.bluez.Adapter1`, and the other interfaces of its object.
package struct AdapterState: Sendable {
  /// The manager interfaces of the adapter's object.
  package struct Managers: OptionSet, Sendable {
    package let rawValue: UInt8
    /// `GattManager1`: it can offer services.
    package static let services = Self(rawValue: 1)
    /// `LEAdvertisingManager1`: it can advertise.
    package static let advertising = Self(rawValue: 2)
    /// `AdvertisementMonitorManager1`: it can scan passively.
    package static let monitors = Self(rawValue: 4)

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Fails for an interface that is not a manager.
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
  /// True if other devices may pair, which usually means that a program has registered an agent.
  package var isPairable: Bool?
  /// `on`, `off`, `off-blocked` …; before BlueZ 5.73 only with experimental features.
  package var powerState: String?
  package var modalias: String?
  /// `central`, `peripheral`, `central-peripheral`; nil before BlueZ 5.50.
  package var roles: [String]?
  package var managers: Managers = []

  package init(path: String) { self.path = path }

  package var identifier: String { BlueZ.adapterName(ofPath: path) }

  package var isBlocked: Bool { powerState == "off-blocked" }

  /// The version of bluetoothd; nil if its device id was changed.
  package var version: BlueZVersion? { modalias.flatMap { BlueZVersion(modalias: $0) } }

  /// True if BlueZ reports why a link ends, as its version shows: `Device1.Disconnected` exists since 5.83.
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
  /// Derives the state from the outage, or without one from the adapter in use.
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
