// SPDX-License-Identifier: MIT

/// The place of a registration: a run of bluetoothd, and one of its adapters.
struct Registration: Hashable {
  let owner: String
  let adapterPath: String
}
