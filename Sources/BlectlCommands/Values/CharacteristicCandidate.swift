// SPDX-License-Identifier: MIT
import BLECentral

/// A characteristic that CHAR on the command line may mean.
protocol CharacteristicCandidate {
  /// The UUID of the service in which it stands.
  var service: BluetoothUUID { get }
  /// Its own UUID.
  var uuid: BluetoothUUID { get }
  /// The handle of its declaration, as `services` prints it.
  var handle: UInt16 { get }
}

extension CharacteristicCandidate {
  /// How a list of candidates shows it: `180d/2a37 @002a`.
  var label: String {
    "\(service)/\(uuid) @\(Hex.string([UInt8(handle >> 8), UInt8(truncatingIfNeeded: handle)]))"
  }
}
