// SPDX-License-Identifier: MIT

/// The link to a peripheral, as reported to its delegate.
public enum CBPeripheralState: Int, Sendable {
  /// No link.
  case disconnected = 0
  /// A link is being made, or waited for.
  case connecting
  /// A link exists, and its services are known.
  case connected
  /// The program gives the link up.
  case disconnecting
}
