// SPDX-License-Identifier: MIT
internal import BLEFormats

/// Chooses the adapter that a client uses.
package struct AdapterChoice: Sendable {
  /// `hci0`, or an adapter's address; nil takes the first that is on, else the first.
  package let wanted: String?

  package init(_ wanted: String?) { self.wanted = wanted }

  /// Returns whether the client may use the adapter: it requested this one, or any.
  package func includes(_ adapter: AdapterState) -> Bool {
    guard let wanted, adapter.identifier != wanted else { return true }
    guard let address = BluetoothAddress(wanted) else { return false }
    return BluetoothAddress(adapter.address) == address
  }

  /// Returns the adapter in use; nil if there is none, or not the requested one.
  package func first(of adapters: some Sequence<AdapterState>) -> AdapterState? {
    let sorted = adapters.filter { includes($0) }.sorted { $0.path < $1.path }
    return wanted == nil ? sorted.first { $0.isPowered } ?? sorted.first : sorted.first
  }

  /// - Throws: ``BLEError`` with code `noAdapter`.
  package func adapter(
    of adapters: some Sequence<AdapterState>, for action: BLEError.Action
  ) throws(BLEError) -> AdapterState {
    if let adapter = first(of: adapters) { return adapter }
    let name = wanted.map { " \($0)" } ?? ""
    throw BLEError(.noAdapter, during: action, "there is no Bluetooth adapter\(name)")
  }
}
