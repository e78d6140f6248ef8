// SPDX-License-Identifier: MIT
package import BLECentral
internal import BLEFormats
internal import ValueStreams

/// The reports that a command sends to its script when it is a step, in addition to its output.
extension CommandContext {
  /// Reports values that a characteristic was certainly sent, each for itself.
  package func observe(
    written values: [[UInt8]], to characteristic: GATTCharacteristic, isAcknowledged: Bool,
    over link: DeviceConnection
  ) {
    guard let observer else { return }
    for value in values {
      observer.wrote(
        WrittenRecord(
          time: .now, address: link.info.lastingAddress, characteristic: characteristic, descriptor: nil,
          values: 1, bytes: value.count, isAcknowledged: isAcknowledged, value: value))
    }
  }

  /// Reports a value that was read.
  package func observe(
    read value: [UInt8], from characteristic: GATTCharacteristic, over link: DeviceConnection
  ) {
    observer?.received(
      ValueBatch([ReceivedValue(value, at: .now)], of: ValueOrigin(link.info, characteristic, via: .read)))
  }

  /// Reports notified values.
  package func observe(
    notified values: [ReceivedValue], of characteristic: GATTCharacteristic, over link: DeviceConnection
  ) {
    if values.isEmpty { return }
    observer?.received(ValueBatch(values, of: ValueOrigin(link.info, characteristic, via: .signal)))
  }
}
