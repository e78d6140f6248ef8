// SPDX-License-Identifier: MIT

/// The pairing that a device requires before it answers a request.
enum PairingNeed: Sendable, Hashable {
  /// Pairing without a number.
  case consent
  /// Pairing; the device prefers a passkey, or a number to compare, and may do without.
  case passkey
}
