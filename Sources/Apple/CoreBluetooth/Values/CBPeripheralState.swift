// SPDX-License-Identifier: MIT

/// The state of the link to a peripheral, as reported to its delegate.
public enum CBPeripheralState: Int, Sendable {
  /// There is no link.
  case disconnected = 0
  /// A link is being established, or awaited.
  case connecting
  /// There is a link, and its services are known.
  case connected
  /// The program is giving up the link.
  case disconnecting
}
