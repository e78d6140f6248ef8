// SPDX-License-Identifier: MIT

/// An event of a link, of any program.
public enum CBConnectionEvent: Int, Sendable {
  /// The link ended.
  case peerDisconnected = 0
  /// The link was established.
  case peerConnected = 1
}

/// The keys that select connection events.
public struct CBConnectionEventMatchingOption: RawRepresentable, Hashable, Sendable {
  /// The key.
  public let rawValue: String

  /// Makes a key from its text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// `[CBUUID]`: peripherals with any of these services.
  public static let serviceUUIDs = CBConnectionEventMatchingOption(
    rawValue: "kCBConnectionEventMatchingOptionServiceUUIDs")
  /// `[UUID]`: peripherals with any of these identifiers.
  public static let peripheralUUIDs = CBConnectionEventMatchingOption(
    rawValue: "kCBConnectionEventMatchingOptionPeripheralUUIDs")
}
