// SPDX-License-Identifier: MIT

extension AdvertisementData {
  /// The decoded manufacturer data and service data of known formats: beacons, sensors.
  ///
  /// Those of manufacturer data come first, by company identifier, then those of service data, by UUID. BlueZ remembers
  /// only the last data of each company and each service.
  public var formats: [any AdvertisedFormat] {
    manufacturerData.sorted { $0.key < $1.key }
      .compactMap { AdvertisedFormats.decode(company: $0.key, data: $0.value) }
      + serviceData.sorted { $0.key < $1.key }
      .compactMap { AdvertisedFormats.decode(service: $0.key, data: $0.value) }
  }
}
