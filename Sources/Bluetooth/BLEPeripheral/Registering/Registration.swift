// SPDX-License-Identifier: MIT

/// The place of a registration: an adapter of bluetoothd.
struct Registration: Hashable {
  let adapterPath: String
}
