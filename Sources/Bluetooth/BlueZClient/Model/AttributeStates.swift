// SPDX-License-Identifier: MIT
package import BLEFormats
internal import DBus

/// The properties of an `org.bluez.GattService1`.
package struct ServiceState: Sendable {
  package let path: String
  package var uuid: BluetoothUUID?
  package var devicePath = ""
  package var isPrimary = true
  package var includes: [String] = []
  package var handle: UInt16?

  mutating func apply(_ key: WireText, _ signature: WireText, _ reader: inout WireReader) -> PropertyOutcome {
    switch key {
    case "UUID": reader.uuid(signature, into: &uuid)
    case "Device": reader.string(signature, into: &devicePath)
    case "Primary": reader.boolean(signature, into: &isPrimary)
    case "Includes": reader.strings(signature, into: &includes)
    case "Handle": reader.uint16(signature, into: &handle)
    default: .ignored
    }
  }
}

/// The properties of an `org.bluez.GattCharacteristic1`.
package struct CharacteristicState: Sendable {
  package let path: String
  package var uuid: BluetoothUUID?
  package var servicePath = ""
  package var properties: CharacteristicProperties = []
  package var handle: UInt16?
  package var mtu: UInt16?
  /// True if any program subscribed with StartNotify.
  package var isNotifying = false
  /// True if a program holds the socket of AcquireNotify.
  package var isNotifyAcquired = false
  /// True if a program holds the socket of AcquireWrite.
  package var isWriteAcquired = false

  mutating func apply(_ key: WireText, _ signature: WireText, _ reader: inout WireReader) -> PropertyOutcome {
    switch key {
    case "UUID": return reader.uuid(signature, into: &uuid)
    case "Service": return reader.string(signature, into: &servicePath)
    case "Flags":
      guard signature == "as" else { return .wrongType }
      var flags: CharacteristicProperties = []
      reader.forEachElement(startingWith: TypeCode.string) { reader in
        flags.formUnion(CharacteristicProperties(flagUTF8: reader.text().utf8) ?? [])
      }
      properties = flags
      return .applied
    case "Handle": return reader.uint16(signature, into: &handle)
    case "MTU": return reader.uint16(signature, into: &mtu)
    case "Notifying": return reader.boolean(signature, into: &isNotifying)
    case "NotifyAcquired": return reader.boolean(signature, into: &isNotifyAcquired)
    case "WriteAcquired": return reader.boolean(signature, into: &isWriteAcquired)
    default: return .ignored
    }
  }

  mutating func invalidate(_ key: WireText) {
    if key == "MTU" { mtu = nil }
  }
}

/// The properties of an `org.bluez.GattDescriptor1`.
package struct DescriptorState: Sendable {
  package let path: String
  package var uuid: BluetoothUUID?
  package var characteristicPath = ""
  package var handle: UInt16?

  mutating func apply(_ key: WireText, _ signature: WireText, _ reader: inout WireReader) -> PropertyOutcome {
    switch key {
    case "UUID": reader.uuid(signature, into: &uuid)
    case "Characteristic": reader.string(signature, into: &characteristicPath)
    case "Handle": reader.uint16(signature, into: &handle)
    default: .ignored
    }
  }
}
