// SPDX-License-Identifier: MIT
internal import BLECentral
internal import JSON

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
  /// Whether to tell all that `info` tells, beyond what a scan shows.
  var isComplete = false

  func write(to json: inout JSONWriter) {
    let advertisement = info.advertisement
    json.field("event", event?.rawValue)
    json.field("time", time?.utc)
    json.field("address", info.address)
    json.field("address_type", info.addressType?.rawValue)
    json.field("adapter", info.adapter)
    json.field("name", info.name)
    json.field("rssi", info.rssi)
    json.field("tx_power", advertisement.txPower)
    json.field("distance", distance)
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
    json.field("class", info.deviceClass.map { Int($0) })
    json.field("icon", info.icon)
    json.field("modalias", info.modalias)
  }

  /// Metres, by the path-loss formula, from the RSSI and the strength at one metre: that is the TX power less 41 dB,
  /// what free space takes on the first metre at 2.4 GHz.
  ///
  /// Walls, bodies and the antennas' direction easily make it wrong by a factor of three. Nil without a TX power: a guess
  /// upon a guess helps nobody.
  private var distance: Double? {
    guard let rssi = info.rssi, let txPower = info.advertisement.txPower else { return nil }
    return Distance.metres(rssi: rssi, rssiAtOneMetre: txPower - 41)
  }
}
