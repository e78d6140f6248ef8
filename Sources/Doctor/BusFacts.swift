// SPDX-License-Identifier: MIT
internal import BlueZClient
internal import DBus

/// What the bus reports about itself and about the owner of `org.bluez`.
package struct BusFacts: Sendable, Hashable {
  /// Why the bus cannot be used.
  enum Failure: Sendable, Hashable {
    /// There is no socket.
    case missing
    /// There is a socket that nothing is listening on.
    case unattended
    /// We may not open the socket.
    case forbidden
    /// The bus has closed the connection before it said anything: authentication was rejected.
    case rejected
    case silent
    case other
  }

  /// The process that owns the name.
  struct Owner: Sendable, Hashable {
    var userID: UInt32?
    var process: UInt32?
    /// Its program: a path where we may see it, else its name.
    var program: String?

    /// The last part of the program's path.
    var programName: String? { program?.split(separator: "/").last.map(String.init) }
  }

  /// An adapter with what it can do.
  struct Adapter: Sendable, Hashable {
    /// `hci0`.
    var name: String
    var address: String
    var isPowered = false
    var isBlocked = false
    /// Whether some program answers pairings: BlueZ makes an adapter pairable while an agent is registered.
    var isPairable: Bool?
    /// `central`, `peripheral`, `central-peripheral`; nil before BlueZ 5.50.
    var roles: [String]?
    var modalias: String?
    /// Whether it can advertise.
    var hasAdvertising = false
    /// Whether it offers advertisement monitors, and with them passive scans.
    var hasMonitors = false
  }

  var address: String
  /// Whether it is this machine's system bus.
  var isSystemBus = false
  /// The user that the bus itself runs as; nil if unknown.
  var userID: UInt32?
  /// Whether this process brought the bus and the simulator on it.
  package var isOurSimulation = false
  /// The host of the bus, if ssh leads to it.
  package var host: String?
  var failure: Failure?
  /// The words of libdbus or of the bus.
  var words = ""
  var owner: Owner?
  /// Whether the bus would start the service when it is called.
  var isActivatable = false
  /// Why org.bluez does not list its objects.
  var refusal: DBusError?
  var adapters: [Adapter] = []
  /// Devices with a link that say that their services are known, and have none.
  var emptyDevices: [String] = []

  init(address: String) { self.address = address }
}

extension BusFacts.Failure {
  /// What an error of connecting means.
  init(_ error: DBusError) {
    switch (error.origin, error.name) {
    case (.timedOut, _): self = .silent
    case (_, "org.freedesktop.DBus.Error.FileNotFound"): self = .missing
    case (_, "org.freedesktop.DBus.Error.NoServer"): self = .unattended
    case (_, "org.freedesktop.DBus.Error.AuthFailed"), (_, ErrorName.disconnected): self = .rejected
    case (_, ErrorName.accessDenied): self = .forbidden
    default: self = .other
    }
  }
}

extension BusFacts.Adapter {
  init(_ adapter: AdapterState) {
    self.init(name: adapter.identifier, address: adapter.address)
    isPowered = adapter.isPowered
    isBlocked = adapter.isBlocked
    isPairable = adapter.isPairable
    roles = adapter.roles
    modalias = adapter.modalias
    hasAdvertising = adapter.managers.contains(.advertising)
    hasMonitors = adapter.managers.contains(.monitors)
  }
}
