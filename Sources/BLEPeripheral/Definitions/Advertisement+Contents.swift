// SPDX-License-Identifier: MIT

extension Advertisement {
  /// Adds the data of a beacon or a sensor, and the services that its format wants to be announced.
  ///
  /// ```swift
  /// var advertisement = Advertisement(isConnectable: false)
  /// try advertisement.add(BTHome(parsing: "temperature=21.5,battery=80"))
  /// ```
  ///
  /// - Parameter format: what to advertise.
  /// - Throws: if a value has no encoding, or if there are data of the same company or service already.
  public mutating func add(_ format: some EncodableFormat) throws(FormatError) {
    try add(format.encoded())
    for service in format.announcedServices where !services.contains(service) { services.append(service) }
  }

  /// Adds manufacturer or service data.
  ///
  /// - Parameter data: what to advertise.
  /// - Throws: if there are data of the same company or service already; BlueZ sends only one of each.
  public mutating func add(_ data: AdvertisedData) throws(FormatError) {
    switch data {
    case .manufacturer(let company, let bytes):
      guard manufacturerData.updateValue(bytes, forKey: company) == nil else {
        throw FormatError(
          company.fourDigits, "has manufacturer data twice; an advertisement can hold only one")
      }
    case .service(let uuid, let bytes):
      guard serviceData.updateValue(bytes, forKey: uuid) == nil else {
        throw FormatError("\(uuid)", "has service data twice; an advertisement can hold only one")
      }
    }
  }

  /// Checks everything that ``PeripheralManager/startAdvertising(_:timeout:)`` checks before it asks BlueZ.
  ///
  /// - Throws: ``BLEError`` with code `invalidDefinition` or `invalidLength` and what is wrong.
  public func check() throws(BLEError) {
    try AdvertisementCheck(advertisement: self, operation: Operation(.advertise, timeout: nil)).check()
  }

  /// Manufacturer data by company identifier, then service data by UUID.
  package var data: [AdvertisedData] {
    AdvertisedData.list(manufacturerData: manufacturerData, serviceData: serviceData)
  }

  /// What is sent, for its length.
  ///
  /// The kernel adds flags to other advertisements, but only where they have room.
  var contents: LegacyAdvertisement {
    LegacyAdvertisement(
      flags: isDiscoverable ? .generalDiscoverable : nil, txPower: includesTxPower ? 0 : nil,
      appearance: appearance, services: services, data: data, name: name)
  }

  /// How many bytes do not fit, without the name.
  package var excess: Int { max(0, contents.size - LegacyAdvertisement.capacity) }

  /// The longest name, in bytes, beside its length and type.
  package static let longestName = LegacyAdvertisement.capacity - 2
}
