// SPDX-License-Identifier: MIT

/// What kind of address a device uses; the raw value is the word of BlueZ's `AddressType` property.
public enum AddressType: String, Sendable, Hashable, CaseIterable {
  /// An address that the IEEE assigned to the maker, for the life of the device.
  case `public`
  /// An address that the device chose: for its life, or, for privacy, for some minutes.
  case random
}
