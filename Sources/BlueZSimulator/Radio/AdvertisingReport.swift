// SPDX-License-Identifier: MIT

/// What a scanner hears of a peripheral at once: advertisement and scan response, merged.
struct AdvertisingReport {
  let advertisement: AdvertisementSpec
  let name: String?
  let rssi: Int16

  /// What a scanner hears that asks for no scan response.
  var withoutScanResponse: AdvertisingReport {
    var advertisement = advertisement
    if advertisement.scanResponse.contains(.services) { advertisement.services = [] }
    return AdvertisingReport(
      advertisement: advertisement, name: advertisement.scanResponse.contains(.name) ? nil : name, rssi: rssi)
  }

  /// The fields of the packet: AD types and what they hold.
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

extension AttributeUUID {
  /// As on the air: two bytes when the Bluetooth SIG assigned it, else sixteen.
  fileprivate var littleEndianBytes: [UInt8] {
    let digits = Array(text.utf8.filter { $0 != UInt8(ascii: "-") })
    let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)
    }
    let isAssigned = text.hasPrefix("0000") && text.hasSuffix("-0000-1000-8000-00805f9b34fb")
    return Array((isAssigned ? bytes[2..<4] : bytes[...]).reversed())
  }
}
