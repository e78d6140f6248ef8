// SPDX-License-Identifier: MIT

/// The bus itself: its name, path and interface.
package enum BusDriver {
  package static let name = "org.freedesktop.DBus"
  package static let path = "/org/freedesktop/DBus"
  package static let interface = "org.freedesktop.DBus"
}

/// Interfaces that the D-Bus specification defines.
package enum StandardInterface {
  package static let properties = "org.freedesktop.DBus.Properties"
  package static let objectManager = "org.freedesktop.DBus.ObjectManager"
  package static let introspectable = "org.freedesktop.DBus.Introspectable"
  package static let peer = "org.freedesktop.DBus.Peer"
}
