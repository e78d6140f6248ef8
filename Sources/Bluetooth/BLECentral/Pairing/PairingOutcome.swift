// SPDX-License-Identifier: MIT

/// The outcome of a successful pairing.
public struct PairingOutcome: Sendable, Hashable {
  /// The method by which the devices paired.
  public let method: PairingMethod
  /// True if the keys are kept for the next connection.
  ///
  /// BlueZ keeps none while the adapter is not pairable, or if the device does not want it.
  public let isBonded: Bool

  /// Makes an outcome.
  public init(method: PairingMethod, isBonded: Bool) {
    self.method = method
    self.isBonded = isBonded
  }
}
