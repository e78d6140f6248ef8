// SPDX-License-Identifier: MIT

extension AdvertisingStructure {
  /// Creates the structure of manufacturer or service data.
  init(_ data: AdvertisedData) {
    switch data {
    case .manufacturer(let company, let bytes):
      self.init(type: Self.manufacturerData, data: company.littleEndianBytes + bytes)
    case .service(let uuid, let bytes):
      let number = uuid.advertised
      self.init(type: number.count == 2 ? 0x16 : number.count == 4 ? 0x20 : 0x21, data: number + bytes)
    }
  }

  /// Creates the complete list of services whose UUIDs have one length.
  init(services: [BluetoothUUID]) {
    let numbers = services.map(\.advertised)
    let size = numbers.first?.count ?? 2
    self.init(type: size == 2 ? 0x03 : size == 4 ? 0x05 : 0x07, data: numbers.flatMap(\.self))
  }

  /// Creates the complete name.
  init(name: String) { self.init(type: 0x09, data: Array(name.utf8)) }

  /// The most bytes of data that have a length.
  static let longestData = 254
}

extension BluetoothUUID {
  /// The shortest bytes that stand for it, as sent: least significant first.
  var advertised: [UInt8] {
    switch shortForm {
    case .some(let number) where number <= 0xffff: UInt16(number).littleEndianBytes
    case .some(let number): number.littleEndianBytes
    case .none: bytes.reversed()
    }
  }
}

extension RawAdvertisement {
  /// The most bytes of a name, as BlueZ has them.
  private static let longestName = 248

  /// Makes the bytes of an advertisement of what BlueZ reports in place of it.
  ///
  /// Equal reports make equal bytes, if the data and the services have the same order. Each service has a structure
  /// of its own, since some readers take several of one structure for one long UUID. What does not fit into a structure
  /// is left out; the name, which may be cut, stands behind what is of more use.
  ///
  /// Flags of zero may mean that none were sent, and are left out. `others` are the structures that BlueZ does not
  /// interpret, by AD type.
  package static func bytes(
    flags: [UInt8]?, data: [AdvertisedData], services: [BluetoothUUID], txPower: Int?, name: String?,
    appearance: UInt16?, others: [UInt8: [UInt8]] = [:]
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    func add(_ structure: AdvertisingStructure) {
      if structure.data.count <= AdvertisingStructure.longestData { bytes += structure.bytes }
    }
    if let flags, flags.contains(where: { $0 != 0 }) { add(AdvertisingStructure(type: 0x01, data: flags)) }
    for data in data { add(AdvertisingStructure(data)) }
    for service in services { add(AdvertisingStructure(services: [service])) }
    if let txPower, let byte = Int8(exactly: txPower) {
      add(AdvertisingStructure(type: 0x0a, data: [UInt8(bitPattern: byte)]))
    }
    if var name, !name.isEmpty {
      while name.utf8.count > longestName { name.unicodeScalars.removeLast() }
      add(AdvertisingStructure(name: name))
    }
    if let appearance { add(AdvertisingStructure(type: 0x19, data: appearance.littleEndianBytes)) }
    for (type, data) in others.sorted(by: { $0.key < $1.key }) {
      add(AdvertisingStructure(type: type, data: data))
    }
    return bytes
  }
}
