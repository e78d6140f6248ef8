// SPDX-License-Identifier: MIT
package import BLECentral

/// How a file goes to a device, or comes from it.
package enum TransferRoute: Sendable {
  case characteristic(GATTCharacteristic)
  /// An L2CAP channel.
  case channel(psm: UInt16)
}
