// SPDX-License-Identifier: MIT

/// The latency of a link, which determines how often a central asks for data.
public enum CBPeripheralManagerConnectionLatency: Int, Sendable {
  /// Often.
  case low = 0
  /// Less often.
  case medium
  /// Seldom, to save power.
  case high
}
