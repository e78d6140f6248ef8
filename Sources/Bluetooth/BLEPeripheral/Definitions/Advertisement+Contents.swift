// SPDX-License-Identifier: MIT

extension Advertisement {
  /// Adds the data of a beacon or sensor, and the services that its format announces.
  ///
  /// ```swift
  /// var advertisement = Advertisement(isConnectable: false)
  /// try advertisement.add(BTHome(parsing: "temperature=21.5,battery=80"))
  /// ```
  ///
  /// - Parameter format: the data to advertise.
  /// - Throws: if a value cannot be encoded, or the advertisement already has data of the same company or
  ///   service.
  public mutating func add(_ format: some EncodableFormat) throws(FormatError) {
    try add(format.encoded())
    for service in format.announcedServices where !services.contains(service) { services.append(service) }
  }

  /// Adds manufacturer or service data.
  ///
  /// - Parameter data: the data to advertise.
  /// - Throws: if the advertisement already has data of the same company or service; BlueZ sends only one of
  ///   each.
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

  /// Makes the checks that ``PeripheralManager/startAdvertising(_:timeout:)`` makes before it calls BlueZ.
  ///
  /// - Throws: ``BLEError`` with code `invalidDefinition` or `invalidLength` and the fault.
  public func check() throws(BLEError) {
    try AdvertisementCheck(advertisement: self, operation: Operation(.advertise, timeout: nil)).check()
  }

  /// The name, the services, and the manufacturer data by company identifier, then the service data by UUID.
  package var context: AdvertisedContext {
    AdvertisedContext(
      localName: name, services: services,
      data: AdvertisedData.list(manufacturerData: manufacturerData, serviceData: serviceData))
  }

  /// The transmitted fields, for their length; the kernel adds flags to other advertisements only if they
  /// fit.
  var contents: LegacyAdvertisement {
    LegacyAdvertisement(
      flags: isDiscoverable ? .generalDiscoverable : nil, txPower: includesTxPower ? 0 : nil,
      appearance: appearance, services: services, data: context.data, name: name)
  }

  /// The number of bytes that do not fit, not counting the name.
  package var excess: Int { max(0, contents.size - LegacyAdvertisement.capacity) }

  /// The length of the longest name in bytes, without its length and type.
  package static let longestName = LegacyAdvertisement.capacity - 2
}
