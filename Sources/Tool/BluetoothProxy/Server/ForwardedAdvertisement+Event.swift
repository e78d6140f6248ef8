// SPDX-License-Identifier: MIT
internal import BLECentral

extension ForwardedAdvertisement {
  /// The advertisement behind an event, as far as BlueZ tells it; nil if none caused the event.
  init?(_ event: ScanEvent) {
    guard let packet = event.packet, let rssi = event.info.rssi else { return nil }
    // In a fixed order: clients skip bytes that they have seen.
    let data = AdvertisedData.list(
      manufacturerData: packet.manufacturerData, serviceData: packet.serviceData)
    self.init(
      address: event.info.address, addressType: event.info.addressType ?? .public,
      rssi: Int16(clamping: rssi),
      data: RawAdvertisement.bytes(
        flags: packet.flags, data: data, services: packet.serviceUUIDs, txPower: packet.txPower,
        name: packet.localName, appearance: packet.appearance, others: packet.otherData))
  }
}
