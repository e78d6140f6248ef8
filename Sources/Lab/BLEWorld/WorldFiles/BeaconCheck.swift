// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import JSON

/// Checks that the values of beacons can be sent.
struct BeaconCheck {
  private let advertisement: AdvertisementSpec
  private let address: BluetoothAddress

  /// Returns nil for a peripheral without a valid address.
  init?(_ spec: PeripheralSpec) {
    guard let address = BluetoothAddress(spec.address) else { return nil }
    advertisement = spec.advertisement
    self.address = address
  }

  /// Refuses values that a format does not have, keys that cannot be used, and data of one company or service twice.
  func run(_ places: JSONNode, _ mistakes: inout JSONMistakes) {
    for (index, beacon) in advertisement.beacons.enumerated() {
      let place = places.at("\(index)")
      mistakes.collect { () throws(JSONError) in
        let data = try check(beacon, place.at(beacon.format.rawValue))
        if let key = beacon.key { try checkKey(key, of: beacon, data, place.at("key")) }
        guard !isAdvertised(data, before: index) else {
          throw JSONError(
            place, "expected data of each company and each service once, found \(data.owner) again")
        }
      }
    }
  }

  /// Checks the values, and returns the first data.
  private func check(_ beacon: BeaconSpec, _ place: JSONNode) throws(JSONError) -> AdvertisedData {
    let check = FieldCheck(fields: beacon.values, place: place, format: beacon.format.rawValue)
    return try check.run { values throws(FormatError) in
      let data = try beacon.format.encoded(NamedValues(values), from: address)
      if data.bytes.count > 254 { throw FormatError("\(data.bytes.count) bytes", "are too many; 254 fit") }
      return data
    }
  }

  private func checkKey(
    _ key: BindKey, of beacon: BeaconSpec, _ data: AdvertisedData, _ place: JSONNode
  ) throws(JSONError) {
    do throws(DecryptionError) {
      _ = try beacon.format.sealed(data, from: address, key: key, counter: beacon.firstCounter)
    } catch {
      throw JSONError(place, "cannot encrypt the data: \(error)")
    }
  }

  private func isAdvertised(_ data: AdvertisedData, before index: Int) -> Bool {
    var others = advertisement
    others.beacons = Array(others.beacons[..<index])
    let sent = AdvertisementTimeline(others, from: address).current
    return switch data {
    case .manufacturer(let company, _): sent.manufacturerData.contains { $0.company == company }
    case .service(let service, _): sent.serviceData.contains { $0.service == service }
    }
  }
}

extension AdvertisedData {
  /// The company or the service, as a file writes it.
  fileprivate var owner: String {
    switch self {
    case .manufacturer(let company, _): company.fourDigits
    case .service(let service, _): service.description
    }
  }
}
