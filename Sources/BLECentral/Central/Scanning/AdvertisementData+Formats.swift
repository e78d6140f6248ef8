// SPDX-License-Identifier: MIT

extension AdvertisementData {
  /// The decoded manufacturer data and service data of known formats: beacons, sensors.
  ///
  /// Those of manufacturer data come first, by company identifier, then those of service data, by UUID. BlueZ remembers
  /// only the last data of each company and each service.
  public var formats: [any AdvertisedFormat] {
    data.compactMap { AdvertisedFormats.decode($0) }
  }

  /// Manufacturer data by company identifier, then service data by UUID.
  package var data: [AdvertisedData] {
    AdvertisedData.list(manufacturerData: manufacturerData, serviceData: serviceData)
  }
}
