// SPDX-License-Identifier: MIT
internal import Glibc

/// The address of a bus.
package struct BusAddress: Sendable, Hashable, CustomStringConvertible {
  package let text: String

  /// Any D-Bus address, such as `unix:path=/run/dbus/system_bus_socket`; a `;` separates alternatives.
  package init(_ text: String) { self.text = text }

  /// The system bus: `DBUS_SYSTEM_BUS_ADDRESS` if set, otherwise the well-known socket.
  package static var system: BusAddress {
    if let variable = getenv("DBUS_SYSTEM_BUS_ADDRESS"), variable.pointee != 0 {
      return BusAddress(String(cString: variable))
    }
    return BusAddress("unix:path=/run/dbus/system_bus_socket")
  }

  package var description: String { text }
}
