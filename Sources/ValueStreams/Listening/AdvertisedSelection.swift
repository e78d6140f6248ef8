// SPDX-License-Identifier: MIT
package import BLECentral

/// Which of the data that devices advertise counts as values.
package struct AdvertisedSelection: Sendable {
  /// The types of formats; empty for all.
  package var types: Set<String>
  /// The services and the companies whose data counts even if its format is unknown.
  package var services: Set<BluetoothUUID>
  package var companies: Set<UInt16>
  /// Whether each packet counts, not only those with a new value or a new counter.
  package var takesRepeats: Bool

  package init(
    types: Set<String> = [], services: Set<BluetoothUUID> = [], companies: Set<UInt16> = [],
    takesRepeats: Bool = false
  ) {
    (self.types, self.services, self.companies) = (types, services, companies)
    self.takesRepeats = takesRepeats
  }

  func takes(_ reading: AdvertisementReading) -> Bool {
    guard let format = reading.format else { return types.isEmpty && isNamed(reading.data) }
    if !types.isEmpty { return types.contains(format.type) }
    // Without its key, it has no values.
    return reading.decryption == nil || reading.decryption == .done || takesRepeats
  }

  private func isNamed(_ data: AdvertisedData) -> Bool {
    switch data {
    case .manufacturer(let company, _): companies.contains(company)
    case .service(let service, _): services.contains(service)
    }
  }
}
