// SPDX-License-Identifier: MIT
internal import BlueZClient

/// A device at a moment of a scan, for all scans that heard it.
///
/// Copies of an event share it: a copy of ``PeripheralInfo`` counts some twenty references, and an event is copied with each
/// hand that it passes through.
final class DeviceSighting: Sendable, Hashable {
  let info: PeripheralInfo
  let time: Timestamp
  /// The properties that BlueZ signalled at this moment; empty if the device was not heard.
  private let signalled: AdvertisementChange

  init(_ info: PeripheralInfo, at time: Timestamp, signalled: AdvertisementChange = []) {
    (self.info, self.time, self.signalled) = (info, time, signalled)
  }

  /// Describes a device now; nil for one without an address.
  convenience init?(
    _ device: borrowing DeviceState, in core: CentralCore, signalled: AdvertisementChange = []
  ) {
    guard let info = core.info(device) else { return nil }
    self.init(info, at: .now, signalled: signalled)
  }

  /// See ``ScanEvent/packet``.
  var packet: AdvertisementData? {
    // BlueZ signals the strength of each packet.
    guard signalled.contains(.rssi), info.rssi != nil else { return nil }
    var packet = info.advertisement
    if !signalled.contains(.manufacturerData) { packet.manufacturerData = [:] }
    if !signalled.contains(.serviceData) { packet.serviceData = [:] }
    return packet
  }

  static func == (left: DeviceSighting, right: DeviceSighting) -> Bool {
    left === right || left.time == right.time && left.signalled == right.signalled && left.info == right.info
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(info)
    hasher.combine(time)
  }
}
