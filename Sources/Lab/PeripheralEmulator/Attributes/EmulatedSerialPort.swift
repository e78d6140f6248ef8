// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld

/// The serial port of a peripheral: the values that carry its bytes, and what it sends.
struct EmulatedSerialPort {
  /// The handle of the value that is written.
  let rx: UInt16
  /// The handle of the value that is notified.
  let tx: UInt16
  var dialogue: SerialDialogue

  /// Fails if the peripheral has no port.
  init?(_ spec: PeripheralSpec, in layout: AttributeLayout) {
    guard let port = spec.uart,
      let service = layout.services.last(where: { $0.uuid == port.service.uuid }),
      let rx = service.characteristics.first(where: { $0.spec.uuid == port.service.rx }),
      let tx = service.characteristics.first(where: { $0.spec.uuid == port.service.tx })
    else { return nil }
    (self.rx, self.tx) = (rx.valueHandle, tx.valueHandle)
    dialogue = SerialDialogue(port)
  }
}
