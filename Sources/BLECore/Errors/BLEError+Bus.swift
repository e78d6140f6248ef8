// SPDX-License-Identifier: MIT
package import DBus

extension BLEError {
  /// Why a bus cannot be used.
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

/// Why everything that a client of BlueZ does has ended.
extension BLEError {
  package static let busLost = BLEError(
    .busUnavailable, during: .continue, "the connection to the bus is lost")

  /// Whether a manager whose outage this is never recovers: its bus is lost, or it is closed.
  package var isFinal: Bool { [.busUnavailable, .cancelled].contains(code) }

  package static let serviceEnded = BLEError(
    .serviceUnavailable, during: .continue, "the Bluetooth service (bluetoothd) ended")

  package static let managerClosed = BLEError(
    .cancelled, during: .continue, "the manager is closed")

  /// The outage of a manager that is closed: a lost bus stays the reason, since those who wait for it react to that.
  ///
  /// - Parameter outage: its outage until now.
  /// - Returns: that outage if it lasts, else this error.
  package func closing(after outage: BLEError?) -> BLEError {
    if let outage, outage.isFinal { outage } else { self }
  }
}
