// SPDX-License-Identifier: MIT
package import DBus

/// The message bus that BlueZ is reached on.
public enum Bus: Sendable, Hashable {
  /// The system bus: `DBUS_SYSTEM_BUS_ADDRESS` where it is set, else the well-known socket.
  case system
  /// Any D-Bus address, such as `unix:path=/tmp/bus` or `unixexec:path=ssh,argv1=host,argv2=systemd-stdio-bridge`.
  case address(String)

  package var busAddress: BusAddress {
    switch self {
    case .system: .system
    case .address(let text): BusAddress(text)
    }
  }
}
