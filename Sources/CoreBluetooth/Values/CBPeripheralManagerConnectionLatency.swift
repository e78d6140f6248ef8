// SPDX-License-Identifier: MIT

/// How often a central should ask for data.
public enum CBPeripheralManagerConnectionLatency: Int, Sendable {
  /// Often.
  case low = 0
  /// Less often.
  case medium
  /// Seldom, which saves power.
  case high
}
