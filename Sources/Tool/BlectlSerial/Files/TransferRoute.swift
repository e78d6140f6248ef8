// SPDX-License-Identifier: MIT
package import BLECentral

/// The route of a file to or from a device.
package enum TransferRoute: Sendable {
  case characteristic(GATTCharacteristic)
  /// An L2CAP channel.
  case channel(psm: UInt16)
}
