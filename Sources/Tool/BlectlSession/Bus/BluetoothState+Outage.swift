// SPDX-License-Identifier: MIT
package import BLECentral

extension BluetoothState {
  /// The reason why nothing can be served for now; nil if something can, or the connection to the bus was lost.
  package var outage: String? {
    switch self {
    case .poweredOn, .busUnavailable: nil
    case .serviceUnavailable: "the Bluetooth service (bluetoothd) has ended"
    case .unsupported: "the adapter has gone"
    case .poweredOff: "the adapter is off"
    case .blocked: "the adapter is blocked (rfkill)"
    }
  }
}
