// SPDX-License-Identifier: MIT

/// What decides whether an adapter is used, and whether it can be.
package protocol AdapterProperties {
  var path: String { get }
  var address: String { get }
  var isPowered: Bool { get }
  /// `on`, `off`, `off-blocked` …; since BlueZ 5.73, before only with experimental features.
  var powerState: String? { get }
}

extension AdapterProperties {
  /// `hci0`.
  package var identifier: String { BlueZ.adapterName(ofPath: path) }

  /// Whether rfkill blocks it.
  package var isBlocked: Bool { powerState == "off-blocked" }

  /// - Throws: ``BLEError`` with code `blocked` or `poweredOff`.
  package func requirePower(for action: BLEError.Action) throws(BLEError) {
    if isPowered { return }
    throw isBlocked
      ? BLEError(.blocked, during: action, "the adapter \(identifier) is blocked (rfkill)")
      : BLEError(.poweredOff, during: action, "the adapter \(identifier) is off")
  }
}

extension BluetoothState {
  /// What a client of BlueZ can do while `outage` lasts, or else with the adapter in use.
  package init(_ outage: BLEError?, _ adapter: (some AdapterProperties)?) {
    if let outage {
      self = outage.isFinal ? .busUnavailable : .serviceUnavailable
    } else if let adapter {
      self = adapter.isPowered ? .poweredOn : adapter.isBlocked ? .blocked : .poweredOff
    } else {
      self = .unsupported
    }
  }
}
