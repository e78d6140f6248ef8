// SPDX-License-Identifier: MIT

/// A pairing that has succeeded.
public struct PairingOutcome: Sendable, Hashable {
  /// How the devices have paired.
  public let method: PairingMethod
  /// Whether the keys are kept for the next connection.
  ///
  /// BlueZ keeps none while the adapter is not pairable, nor where the device does not want it.
  public let isBonded: Bool

  /// Makes an outcome.
  public init(method: PairingMethod, isBonded: Bool) {
    self.method = method
    self.isBonded = isBonded
  }
}
