// SPDX-License-Identifier: MIT
internal import BLECentral
internal import JSON
internal import TerminalOutput
internal import ValueStreams

/// A device: found by a scan, or known to BlueZ.
struct DeviceRecord: Record {
  enum Event: String {
    case found
    case changed
    case lost
  }

  /// Nil where nothing happened: in lists.
  var event: Event?
  var time: Timestamp?
  let info: PeripheralInfo
  /// The host that has heard it, where several are asked.
  var host: String?
  /// Whether to write all of `info`, beyond what a scan shows.
  var isComplete = false
  /// What a distance is guessed from.
  var pathLoss = PathLoss()

  func write(to json: inout JSONWriter) {
    let advertisement = info.advertisement
    json.field("event", event?.rawValue)
    json.field("time", time?.utc)
    json.field("host", host)
    json.field("address", info.address)
    json.field("address_type", info.addressType?.rawValue)
    json.field("adapter", info.adapter)
    json.field("name", info.name)
    json.field("rssi", info.rssi)
    json.field("tx_power", advertisement.txPower)
    if let distance = info.distance(pathLoss) {
      json.field("distance", (distance.metres * 100).rounded() / 100)
      json.field("distance_basis", distance.basis.rawValue)
    }
    json.field("flags", advertisement.flags?.first.map { AdvertisingFlags(rawValue: $0).names })
    if !advertisement.serviceUUIDs.isEmpty { json.field("services", advertisement.serviceUUIDs) }
    if !advertisement.manufacturerData.isEmpty {
      json.object("manufacturer_data") { json in
        for (company, bytes) in advertisement.manufacturerData.sorted(by: { $0.key < $1.key }) {
          json.field(company.fourDigits, hex: bytes)
        }
      }
    }
    if !advertisement.serviceData.isEmpty {
      json.object("service_data") { json in
        for (uuid, bytes) in advertisement.serviceData.sorted(by: { $0.key < $1.key }) {
          json.field(uuid.longForm, hex: bytes)
        }
      }
    }
    json.field("company", advertisement.company)
    let formats = advertisement.formats
    if let first = formats.first { json.object("beacon") { first.write(to: &$0) } }
    if formats.count > 1 {
      json.array("more_beacons") { json in
        for format in formats.dropFirst() { json.object { format.write(to: &$0) } }
      }
    }
    json.field("connected", info.isConnected)
    json.field("paired", info.isPaired)
    if isComplete { writeRest(to: &json) }
  }

  private func writeRest(to json: inout JSONWriter) {
    json.field("bonded", info.isBonded)
    json.field("trusted", info.isTrusted)
    json.field("blocked", info.isBlocked)
    json.field("services_resolved", info.isServicesResolved)
    json.field("battery_level", info.batteryLevel)
    json.field("appearance", info.advertisement.appearance.map { Int($0) })
    json.field(
      "appearance_name", info.advertisement.appearance.flatMap { Appearance(rawValue: $0).name })
    json.field("class", info.deviceClass.map { Int($0) })
    json.field("icon", info.icon)
    json.field("modalias", info.modalias)
  }
}

extension AdvertisementData {
  /// The company whose data it has, the one with the lowest identifier; nil when its name is unknown.
  var company: String? {
    manufacturerData.keys.min().flatMap { AssignedNumbers.companyName($0) }
  }
}

extension AdvertisedFormat {
  /// The fields of the object `beacon`.
  fileprivate func write(to json: inout JSONWriter) {
    json.field("type", type)
    fields.write(fieldsTo: &json)
  }
}
