// SPDX-License-Identifier: MIT
internal import CDBus
internal import Glibc

package struct BusAddress: Sendable, Hashable, CustomStringConvertible {
  package let text: String

  /// Any D-Bus address, such as `unix:path=/run/dbus/system_bus_socket`; a `;` separates alternatives.
  package init(_ text: String) { self.text = text }

  /// The system bus: `DBUS_SYSTEM_BUS_ADDRESS` if set, otherwise the well-known socket.
  package static var system: BusAddress {
    if let variable = getenv("DBUS_SYSTEM_BUS_ADDRESS"), variable.pointee != 0 {
      return BusAddress(String(cString: variable))
    }
    return wellKnown
  }

  /// The socket of the system bus.
  package static let wellKnown = BusAddress("unix:path=/run/dbus/system_bus_socket")

  package init(socket path: String) { self.init("unix:path=\(BusAddress.escaped(path))") }

  /// A bus that is reached through a program's standard input and output; the program is found in `PATH`.
  package init(running arguments: [String]) {
    let values = arguments.enumerated().map { index, argument in
      "\(index == 0 ? "path" : "argv\(index)")=\(BusAddress.escaped(argument))"
    }
    self.init("unixexec:" + values.joined(separator: ","))
  }

  private static func escaped(_ value: String) -> String {
    guard let escaped = dbus_address_escape_value(value) else { fatalError("no memory for an address") }
    defer { dbus_free(escaped) }
    return String(cString: escaped)
  }

  /// True if at least one of the addresses leads to the bus through a program.
  package var runsProgram: Bool { text.split(separator: ";").contains { $0.hasPrefix("unixexec:") } }

  package var description: String { text }
}
