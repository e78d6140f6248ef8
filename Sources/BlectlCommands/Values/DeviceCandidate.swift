// SPDX-License-Identifier: MIT
import BLECentral

/// A device that DEVICE on the command line may mean.
protocol DeviceCandidate {
  /// The address, which identifies it.
  var address: BluetoothAddress { get }
  /// The name that the device reports, nil if none.
  var name: String? { get }
  /// The signal strength in dBm, nil if it has not been heard.
  var rssi: Int? { get }
}
