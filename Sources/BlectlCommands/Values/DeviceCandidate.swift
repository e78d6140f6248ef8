// SPDX-License-Identifier: MIT
import BLECentral

/// A device that DEVICE on the command line may mean.
protocol DeviceCandidate {
  /// The address, which is the surest way to mean it.
  var address: BluetoothAddress { get }
  /// The name as the device gave it, nil when it gave none.
  var name: String? { get }
  /// The strength of its signal in dBm, nil when it has not been heard.
  var rssi: Int? { get }
}
