// SPDX-License-Identifier: MIT

/// The kind of a random address, which its two most significant bits tell: Core Specification, Vol 6, Part B, 1.3.2.
public enum RandomAddressKind: String, Sendable, Hashable, CaseIterable {
  /// The device keeps it, at least until it restarts.
  case `static`
  /// A private address that changes, and that an ``IdentityKey`` resolves.
  case resolvable
  /// A private address that changes, and that cannot be resolved.
  case nonResolvable = "non-resolvable"
  /// Bits that the specification reserves.
  case reserved
}

extension BluetoothAddress {
  /// The kind of the address if it is random; has no meaning for public addresses.
  public var randomKind: RandomAddressKind {
    switch bits >> 46 {
    case 0b11: .static
    case 0b01: .resolvable
    case 0b00: .nonResolvable
    default: .reserved
    }
  }
}
