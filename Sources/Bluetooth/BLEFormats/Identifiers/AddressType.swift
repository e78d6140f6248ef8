// SPDX-License-Identifier: MIT

/// The kind of address of a device; the raw value is that of BlueZ's `AddressType` property.
public enum AddressType: String, Sendable, Hashable, CaseIterable {
  /// A permanent address that the IEEE assigned to the manufacturer.
  case `public`
  /// An address that the device chose: permanently, or, for privacy, for some minutes.
  case random
}
