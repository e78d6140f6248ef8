// SPDX-License-Identifier: MIT
import BLECentral

/// A characteristic that CHAR on the command line may mean.
protocol CharacteristicCandidate {
  /// The UUID of its service.
  var service: BluetoothUUID { get }
  /// Its own UUID.
  var uuid: BluetoothUUID { get }
  /// The handle of its declaration, as `services` prints it.
  var handle: UInt16 { get }
}

extension CharacteristicCandidate {
  /// Its label in a list of candidates: `180d/2a37 @002a`.
  var label: String {
    "\(service)/\(uuid) @\(Hex.string([UInt8(handle >> 8), UInt8(truncatingIfNeeded: handle)]))"
  }
}
