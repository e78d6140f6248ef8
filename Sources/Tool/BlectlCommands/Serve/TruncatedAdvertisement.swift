// SPDX-License-Identifier: MIT
internal import BLEPeripheral
internal import BLEWorld

/// The part of a world's advertisement that a real adapter can send.
struct TruncatedAdvertisement {
  private(set) var advertisement: Advertisement
  /// The missing parts, and the reasons.
  private(set) var remarks: [String] = []

  /// Takes the contents at some time; an advertisement that changes accepts connections.
  init(_ spec: AdvertisementSpec, isChanging: Bool = false) {
    let longest = Duration.milliseconds(10_240)
    let interval = min(max(spec.interval, .milliseconds(20)), longest)
    advertisement = Advertisement(
      name: spec.name,
      services: spec.services,
      manufacturerData: Dictionary(spec.manufacturerData.map { ($0.company, $0.bytes) }) { first, _ in first
      },
      serviceData: Dictionary(spec.serviceData.map { ($0.service, $0.bytes) }) { first, _ in first },
      appearance: spec.appearance.map { Appearance(rawValue: $0) }, includesTxPower: spec.txPower != nil,
      isConnectable: spec.isConnectable, isDiscoverable: spec.isConnectable && spec.isDiscoverable,
      interval: interval...interval)
    if isChanging, !advertisement.isConnectable {
      (advertisement.isConnectable, advertisement.isDiscoverable) = (true, spec.isDiscoverable)
      // The flags are the part that it can do without.
      if advertisement.excess > 0 { advertisement.isDiscoverable = false }
      remarks.append(
        "it accepts connections, because Linux would give it another address with each value")
    }
    fitName()
    fitRest()
  }

  private mutating func fitName() {
    guard var name = advertisement.name, name.utf8.count > Advertisement.longestName else { return }
    while name.utf8.count > Advertisement.longestName { name.removeLast() }
    advertisement.name = name.isEmpty ? nil : name
    remarks.append("the name is cut to '\(name)': \(Advertisement.longestName) bytes fit")
  }

  /// Omits what does not fit, beginning with the data that centrals need least.
  private mutating func fitRest() {
    var missing: [String] = []
    while advertisement.excess > 0, let part = removeOne() { missing.append(part) }
    guard !missing.isEmpty else { return }
    remarks.append("not advertised, because 31 bytes fit: " + missing.joined(separator: ", "))
  }

  private mutating func removeOne() -> String? {
    if advertisement.includesTxPower {
      advertisement.includesTxPower = false
      return "the TX power"
    }
    if advertisement.appearance != nil {
      advertisement.appearance = nil
      return "the appearance"
    }
    if let service = advertisement.services.popLast() { return "service \(service)" }
    if let service = advertisement.serviceData.keys.max() {
      advertisement.serviceData[service] = nil
      return "data of service \(service)"
    }
    if let company = advertisement.manufacturerData.keys.max() {
      advertisement.manufacturerData[company] = nil
      return "manufacturer data \(company.fourDigits)"
    }
    return nil
  }
}
