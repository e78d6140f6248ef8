// SPDX-License-Identifier: MIT
package import BLECentral

/// A selection of the advertised data that counts as values.
package struct AdvertisedSelection: Sendable {
  /// The types of formats; empty for all.
  package var types: Set<String>
  /// The services and the companies whose data counts even if its format is unknown.
  package var senders: Set<AdvertisedData.Sender>
  /// True if each packet counts, not only those with a new value or a new counter.
  package var takesRepeats: Bool

  package init(
    types: Set<String> = [], senders: Set<AdvertisedData.Sender> = [], takesRepeats: Bool = false
  ) {
    (self.types, self.senders, self.takesRepeats) = (types, senders, takesRepeats)
  }

  func takes(_ reading: AdvertisementReading) -> Bool {
    guard let format = reading.format else { return types.isEmpty && senders.contains(reading.data.sender) }
    if !types.isEmpty { return types.contains(format.type) }
    // Without its key, it has no values.
    return reading.decryption == nil || reading.decryption == .done || takesRepeats
  }
}
