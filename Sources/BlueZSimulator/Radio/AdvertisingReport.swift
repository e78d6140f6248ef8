// SPDX-License-Identifier: MIT
internal import BLEMeaning

/// What a scanner receives from a peripheral: advertisement and scan response, merged.
struct AdvertisingReport {
  let advertisement: AdvertisementSpec
  let name: String?
  let rssi: Int16

  /// The report of a scanner that requests no scan response.
  var withoutScanResponse: AdvertisingReport {
    var advertisement = advertisement
    if advertisement.scanResponse.contains(.services) { advertisement.services = [] }
    return AdvertisingReport(
      advertisement: advertisement, name: advertisement.scanResponse.contains(.name) ? nil : name, rssi: rssi)
  }

  /// The fields of the packet: AD types and data.
  var fields: [(type: UInt8, bytes: [UInt8])] {
    var fields: [(type: UInt8, bytes: [UInt8])] = []
    if let flags = advertisement.flags { fields.append((0x01, [flags])) }
    let services = advertisement.services.map(\.littleEndianBytes)
    for (type, size) in [(UInt8(0x03), 2), (0x07, 16)] {
      let list = services.filter { $0.count == size }.flatMap(\.self)
      if !list.isEmpty { fields.append((type, list)) }
    }
    if let name { fields.append((0x09, Array(name.utf8))) }
    if let power = advertisement.txPower { fields.append((0x0A, [UInt8(truncatingIfNeeded: power)])) }
    for data in advertisement.serviceData {
      let uuid = data.service.littleEndianBytes
      fields.append((uuid.count == 2 ? 0x16 : 0x21, uuid + data.bytes))
    }
    if let appearance = advertisement.appearance { fields.append((0x19, appearance.littleEndianBytes)) }
    for data in advertisement.manufacturerData {
      fields.append((0xFF, data.company.littleEndianBytes + data.bytes))
    }
    return fields
  }
}

extension UInt16 {
  fileprivate var littleEndianBytes: [UInt8] { [UInt8(truncatingIfNeeded: self), UInt8(self >> 8)] }
}

extension BluetoothUUID {
  /// As sent over the radio: two bytes for a 16-bit UUID, otherwise sixteen.
  fileprivate var littleEndianBytes: [UInt8] {
    shortForm.flatMap { UInt16(exactly: $0) }?.littleEndianBytes ?? bytes.reversed()
  }
}
