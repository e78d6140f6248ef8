// SPDX-License-Identifier: MIT

/// An advertisement that ``PeripheralManager/startAdvertising(_:timeout:)`` has started.
public struct Advertising: Sendable, Hashable {
  let number: Int
  /// What is advertised.
  public let advertisement: Advertisement
}
