// SPDX-License-Identifier: MIT

/// An error reply of the daemon.
package struct BlueZError: Error, Sendable, Hashable {
  package var name: String
  package var text: String

  package init(_ name: String, _ text: String) { (self.name, self.text) = (name, text) }

  package static func bluez(_ name: String, _ text: String) -> BlueZError {
    BlueZError("org.bluez.Error." + name, text)
  }

  package static let busy = bluez("InProgress", "Operation already in progress")
  package static let inProgress = bluez("InProgress", "In Progress")
  package static func failed(_ text: String) -> BlueZError { bluez("Failed", text) }
}

/// An error with which the daemon answers calls of a method instead of executing them.
package struct CallFault: Sendable, Equatable {
  /// The name of the method, such as `StartDiscovery`.
  package var method: String
  package var error: BlueZError
  /// The address of the device whose objects are affected; nil for all objects.
  package var device: String?
  /// The number of calls; nil for all, 0 to end the fault.
  package var times: Int?

  /// Creates a fault; without an error, its calls fail as when the daemon is busy.
  package init(_ method: String, _ error: BlueZError? = nil, device: String? = nil, times: Int? = nil) {
    self.method = method
    self.error = error ?? (method.hasSuffix("Discovery") ? .busy : .inProgress)
    self.device = device
    self.times = times
  }
}
