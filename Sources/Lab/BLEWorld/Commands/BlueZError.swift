// SPDX-License-Identifier: MIT

/// An error reply of the daemon.
package struct BlueZError: Error, Sendable, Hashable {
  package var name: String
  package var text: String

  package init(_ name: String, _ text: String) {
    self.name = name
    self.text = text
  }

  package static func bluez(_ name: String, _ text: String) -> BlueZError {
    BlueZError("org.bluez.Error." + name, text)
  }

  package static let busy = bluez("InProgress", "Operation already in progress")
  package static let inProgress = bluez("InProgress", "In Progress")
  package static func failed(_ text: String) -> BlueZError { bluez("Failed", text) }
}
