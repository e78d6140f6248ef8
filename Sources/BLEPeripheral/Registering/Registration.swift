// SPDX-License-Identifier: MIT

/// Where something is registered: a run of bluetoothd, and an adapter of it.
struct Registration: Hashable {
  let owner: String
  let adapterPath: String
}
