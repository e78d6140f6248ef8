// SPDX-License-Identifier: MIT
package import DBus

/// The message bus on which BlueZ is reached.
public enum Bus: Sendable, Hashable {
  /// The system bus: `DBUS_SYSTEM_BUS_ADDRESS` if set, else the well-known socket.
  case system
  /// Any D-Bus address: `unix:path=/tmp/bus`, `unixexec:path=ssh,argv1=host,argv2=systemd-stdio-bridge`.
  case address(String)

  /// The address of the simulation that replaces the system bus for a test and the tasks that it starts.
  @TaskLocal package static var simulated: String?

  /// The bus itself, or the simulation that replaces the system bus in this task.
  ///
  /// A manager evaluates it when it is created, because its later work runs in other tasks.
  package var resolved: Bus {
    guard self == .system, let simulated = Bus.simulated else { return self }
    return .address(simulated)
  }

  /// True if the bus can be that of a simulation: any but the well-known socket.
  package var mayBeSimulated: Bool { busAddress != .wellKnown }

  package var busAddress: BusAddress {
    switch self {
    case .system: .system
    case .address(let text): BusAddress(text)
    }
  }
}

/// The host of a bus that a program such as ssh leads to, as errors name it.
package struct BusHost: Sendable, Hashable {
  /// The name that the user gave.
  package let name: String
  /// The command that logs in there, to see what is wrong with the connection.
  package let login: String

  /// Names a host, and the command that logs in there.
  package init(name: String, login: String) { (self.name, self.login) = (name, login) }
}
