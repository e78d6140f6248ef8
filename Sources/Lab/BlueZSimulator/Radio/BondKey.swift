// SPDX-License-Identifier: MIT
internal import PeripheralEmulator

/// The key of a bond, equal on both sides.
struct BondKey: Hashable {
  let number: Int
  let security: LinkSecurity
}
