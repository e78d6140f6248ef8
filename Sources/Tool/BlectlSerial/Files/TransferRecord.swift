// SPDX-License-Identifier: MIT
package import BLECentral
package import JSON
internal import TerminalOutput
internal import ValueStreams

/// A file that was sent or received, or as much of it as an interruption left.
package struct TransferRecord: Record, Sendable {
  package enum Event: String, Sendable {
    case sent
    case received
    case interrupted
    /// The device has another checksum.
    case mismatched
  }

  private let event: Event
  private let address: BluetoothAddress
  private let route: TransferRoute
  private let tally: TransferTally
  private let checksum: Checksum?
  private let valueOfDevice: [UInt8]?

  /// `valueOfDevice` is what the device has in place of the checksum.
  package init(
    _ event: Event, _ route: TransferRoute, of address: BluetoothAddress,
    _ tally: TransferTally,
    _ checksum: Checksum? = nil, valueOfDevice: [UInt8]? = nil
  ) {
    (self.event, self.route, self.address) = (event, route, address)
    (self.tally, self.checksum, self.valueOfDevice) = (tally, checksum, valueOfDevice)
  }

  package func write(to json: inout JSONWriter) {
    json.event(event.rawValue, at: Timestamp.now)
    json.field("address", address)
    switch route {
    case .characteristic(let characteristic):
      json.field("service", characteristic.service)
      json.field("characteristic", characteristic.uuid)
      json.field("handle", Int(characteristic.handle))
    case .channel(let psm): json.field("psm", Int(psm))
    }
    json.field("bytes", tally.transferred)
    json.field("acknowledged", tally.isAcknowledged)
    json.field("resumed_at", tally.earlier == 0 ? nil : tally.earlier)
    json.field("uncertain", tally.uncertain == 0 ? nil : tally.uncertain)
    json.field("seconds", (tally.elapsed / .milliseconds(1)).rounded() / 1000)
    json.field("bytes_per_second", tally.bytesPerSecond?.rounded())
    if let checksum { json.field(checksum.kind.rawValue, checksum.text) }
    json.field("device_value", hex: valueOfDevice)
  }
}

/// The route of a file to or from a device.
package enum TransferRoute: Sendable {
  case characteristic(GATTCharacteristic)
  /// An L2CAP channel.
  case channel(psm: UInt16)
}
