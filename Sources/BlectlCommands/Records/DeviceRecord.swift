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
    json.advertised(advertisement.serviceUUIDs, advertisement.data)
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

/// An adapter as JSON.
struct AdapterRecord: Record {
  let adapter: Adapter

  func write(to json: inout JSONWriter) {
    json.field("adapter", adapter.id)
    json.field("address", adapter.address)
    json.field("name", adapter.name)
    json.field("powered", adapter.isPowered)
    json.field("discovering", adapter.isDiscovering)
    json.field("blocked", adapter.isBlocked)
    json.field("modalias", adapter.modalias)
  }
}
