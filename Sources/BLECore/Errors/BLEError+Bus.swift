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
    let message = error.message.isEmpty ? error.name : error.message
    let name = bus == .system ? "the system bus" : "the bus \(bus.busAddress)"
    self.init(code, operation: "reach \(name)", message: message, dbusName: error.name)
  }
}
