// SPDX-License-Identifier: MIT
internal import BlueZClient
internal import DBus

/// The report of the bus about itself and about the owner of `org.bluez`.
package struct BusFacts: Sendable, Hashable {
  /// The reason for a failure to use the bus.
  enum Failure: Sendable, Hashable {
    case missing
    /// There is a socket, but nothing is listening on it.
    case unattended
    /// This process may not open the socket.
    case forbidden
    /// The bus closed the connection at once: it rejected the authentication.
    case rejected
    case silent
    case other
  }

  struct Owner: Sendable, Hashable {
    var userID: UInt32?
    var process: UInt32?
    /// The path of its program if readable, else its name.
    var program: String?

    var programName: String? { program?.split(separator: "/").last.map(String.init) }
  }

  struct Adapter: Sendable, Hashable {
    var name: String
    var address: String
    var isPowered = false
    var isBlocked = false
    /// True if a program answers pairings: BlueZ makes an adapter pairable while an agent is registered.
    var isPairable: Bool?
    /// `central`, `peripheral`, `central-peripheral`; nil before BlueZ 5.50.
    var roles: [String]?
    var modalias: String?
    var hasAdvertising = false
    /// True if it offers advertisement monitors, and thus passive scans.
    var hasMonitors = false
  }

  var address: String
  var isSystemBus = false
  /// The user that the bus runs as; nil if unknown.
  var userID: UInt32?
  /// True if this process started the bus and its simulator.
  package var isOurSimulation = false
  /// The host of the bus, if ssh leads to it.
  package var host: String?
  var failure: Failure?
  /// The error text of libdbus or the bus.
  var words = ""
  var owner: Owner?
  /// True if the bus would start the service on a call.
  var isActivatable = false
  /// The error from org.bluez when it does not list its objects.
  var refusal: DBusError?
  var adapters: [Adapter] = []
  /// Devices with a link whose services are resolved, but that have none.
  var emptyDevices: [String] = []

  init(address: String) { self.address = address }
}

extension BusFacts.Failure {
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
