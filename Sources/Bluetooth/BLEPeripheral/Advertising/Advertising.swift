// SPDX-License-Identifier: MIT

/// An advertisement that ``PeripheralManager/startAdvertising(_:timeout:)`` started.
public struct Advertising: Sendable, Hashable {
  let number: Int
  /// The contents and the settings with which it started.
  public let advertisement: Advertisement
}
