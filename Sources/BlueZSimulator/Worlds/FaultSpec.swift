// SPDX-License-Identifier: MIT

/// How a peripheral, and the daemon's dealing with it, misbehave.
package struct FaultSpec: Sendable, Hashable {
  /// In which order the daemon tells of the GATT objects and of `ServicesResolved`.
  package enum ServiceDelivery: Sendable, Hashable {
    /// As the daemon does when nothing else happens: the objects first.
    case objectsFirst
    /// `ServicesResolved` overtakes the objects, as happens when the daemon is busy.
    case resolvedFirst
    /// The objects come this much later than `ServicesResolved`.
    case objectsLate(Duration)
  }

  /// How many attempts to connect fail first.
  package var connectFailures: Int
  /// The text of these failures, after `org.bluez.Error.Failed`.
  package var connectFailureText: String
  /// The peripheral closes the link after so many reads and writes.
  package var dropsAfterOperations: Int?
  package var serviceDelivery: ServiceDelivery
  /// How much longer than usual the discovery of the services takes.
  package var discoveryDelay: Duration

  package init(
    connectFailures: Int = 0, connectFailureText: String = "le-connection-abort-by-local",
    dropsAfterOperations: Int? = nil, serviceDelivery: ServiceDelivery = .objectsFirst,
    discoveryDelay: Duration = .zero
  ) {
    self.connectFailures = connectFailures
    self.connectFailureText = connectFailureText
    self.dropsAfterOperations = dropsAfterOperations
    self.serviceDelivery = serviceDelivery
    self.discoveryDelay = discoveryDelay
  }
}
