// SPDX-License-Identifier: MIT
package import DBus

extension BLEError {
  package init(reaching bus: Bus, _ error: DBusError) {
    let code: Code =
      switch (error.origin, error.name) {
      case (.timedOut, _): .timedOut
      case (.cancelled, _): .cancelled
      case (_, ErrorName.accessDenied): .accessDenied
      default: .busUnavailable
      }
    self.init(code, during: .reachBus(bus), error.message.isEmpty ? error.name : error.message)
    dbusName = error.name
  }
}

/// The errors that end all operations of a BlueZ client.
extension BLEError {
  package static let busLost = busLost(to: nil)

  /// The bus was lost, which is that of a host if ssh leads to it; `isSilent` if it answered nothing.
  package static func busLost(to host: BusHost?, isSilent: Bool = false) -> BLEError {
    let name = host?.name ?? "the bus"
    return BLEError(
      .busUnavailable, during: .continue,
      isSilent ? "\(name) does not answer" : "the connection to \(name) is lost"
    ).advising((host?.login).map { .logIn($0) })
  }

  /// True if a manager with this outage never recovers: its bus is lost, or it is closed.
  package var isFinal: Bool { [.busUnavailable, .cancelled].contains(code) }

  package static let serviceEnded = BLEError(
    .serviceUnavailable, during: .continue, "the Bluetooth service (bluetoothd) ended")

  package static let managerClosed = BLEError(
    .cancelled, during: .continue, "the manager is closed")

  /// Returns the outage of a closed manager: the earlier one if it is permanent, since waiting tasks react to
  /// it.
  package func closing(after outage: BLEError?) -> BLEError {
    if let outage, outage.isFinal { outage } else { self }
  }
}
