// SPDX-License-Identifier: MIT

/// The pairing that a device requires before it answers a request.
enum PairingNeed: Sendable, Hashable {
  /// Pairing without a number.
  case consent
  /// Pairing with a passkey, or with a number to compare.
  case passkey
}
