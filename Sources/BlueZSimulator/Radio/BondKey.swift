// SPDX-License-Identifier: MIT
internal import PeripheralEmulator

/// The key of a bond; both sides have the same.
struct BondKey: Hashable {
  let number: Int
  let security: LinkSecurity
}
