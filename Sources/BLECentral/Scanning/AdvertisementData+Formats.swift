// SPDX-License-Identifier: MIT

extension AdvertisementData {
  /// What manufacturer data and service data mean, as far as their formats are known: beacons, sensors.
  ///
  /// Those of manufacturer data come first, by company identifier, then those of service data, by UUID. BlueZ remembers
  /// the last data of each company and each service, and one frame may have taken the place of another.
  public var formats: [any AdvertisedFormat] {
    manufacturerData.sorted { $0.key < $1.key }
      .compactMap { AdvertisedFormats.decode(company: $0.key, data: $0.value) }
      + serviceData.sorted { $0.key < $1.key }
      .compactMap { AdvertisedFormats.decode(service: $0.key, data: $0.value) }
  }
}
