// SPDX-License-Identifier: MIT
package import BLEMeaning

/// What a ``SimulatedCentral`` can be asked to do on its link: one ATT request each, or a pairing.
package enum CentralRequest: Sendable, Hashable {
  /// Reads a characteristic; with an offset, a part of a long value.
  case read(BluetoothUUID, offset: Int?)
  /// Writes with one Write Request, which is refused if it does not fit.
  case write(BluetoothUUID, [UInt8])
  /// Writes without a response.
  case command(BluetoothUUID, [UInt8])
  /// Prepares a part of a write.
  case prepare(BluetoothUUID, offset: Int, [UInt8])
  /// Writes what was prepared.
  case execute
  /// Drops what was prepared.
  case cancel
  /// Writes the client configuration: 1 for notifications, 2 for indications, 0 for neither.
  case configure(BluetoothUUID, UInt8)
  /// Takes the values of a subscription that outlived the link before.
  case listen(BluetoothUUID)
  /// Asks to read, and hangs up before the answer can come, if it takes 200 ms.
  case hangUpDuringRead(BluetoothUUID)
  case pair
}

/// What came of it.
package enum CentralAnswer: Sendable, Hashable {
  /// It was done; the bytes are those of a read.
  case done([UInt8] = [])
  /// The other side has refused with an ATT error.
  case refused(UInt8)
  /// The pairing has failed.
  case notPaired
  /// Nobody answered: no link, no such characteristic.
  case impossible
}
