// SPDX-License-Identifier: MIT
package import BLECentral
package import JSON
internal import TerminalOutput

/// A device that a scan found or BlueZ knows.
package struct DeviceRecord: Record {
  package enum Event: String {
    case found
    case changed
    case lost
  }

  /// Nil in lists.
  package var event: Event?
  package var time: Timestamp?
  package let info: PeripheralInfo
  /// The host that heard it, if there are several.
  package var host: String?
  /// True to write all of `info`, beyond what a scan shows.
  package var isComplete = false
  /// The MTU of its link.
  var mtu: Int?
  /// The model for estimating distances.
  package var pathLoss = PathLoss()
  private let decoder: AdvertisementDecoder

  package init(
    event: Event? = nil, time: Timestamp? = nil, info: PeripheralInfo, host: String? = nil,
    isComplete: Bool = false, mtu: Int? = nil, pathLoss: PathLoss = PathLoss(),
    decoder: AdvertisementDecoder
  ) {
    self.decoder = decoder
    self.event = event
    self.time = time
    self.info = info
    self.host = host
    self.isComplete = isComplete
    self.mtu = mtu
    self.pathLoss = pathLoss
  }

  package func write(to json: inout JSONWriter) {
    let advertisement = info.advertisement
    json.field("event", event?.rawValue)
    json.field("time", time?.utc)
    json.field("host", host)
    json.field("address", info.address)
    json.field("address_type", info.addressType?.rawValue)
    json.field("address_kind", info.randomKind?.rawValue)
    json.field("identity", info.identity?.name)
    json.field("identity_address", info.identity?.address)
    json.field("adapter", info.adapter)
    json.field("name", info.name)
    json.field("rssi", info.rssi)
    json.field("tx_power", advertisement.txPower)
    if let distance = info.distance(pathLoss) {
      json.field("distance", (distance.metres * 100).rounded() / 100)
      json.field("distance_basis", distance.basis.rawValue)
    }
    json.field("flags", advertisement.flags?.first.map { AdvertisingFlags(rawValue: $0).names })
    json.advertised(advertisement.context, decoder.readings(of: info))
    json.field("connected", info.isConnected)
    json.field("paired", info.isPaired)
    if isComplete { writeRest(to: &json) }
  }

  private func writeRest(to json: inout JSONWriter) {
    json.field("bonded", info.isBonded)
    json.field("trusted", info.isTrusted)
    json.field("blocked", info.isBlocked)
    json.field("services_resolved", info.isServicesResolved)
    json.field("mtu", mtu)
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
package struct AdapterRecord: Record {
  package let adapter: Adapter

  package init(adapter: Adapter) { self.adapter = adapter }

  package func write(to json: inout JSONWriter) {
    json.field("adapter", adapter.id)
    json.field("address", adapter.address)
    json.field("name", adapter.name)
    json.field("powered", adapter.isPowered)
    json.field("discovering", adapter.isDiscovering)
    json.field("blocked", adapter.isBlocked)
    json.field("modalias", adapter.modalias)
  }
}
