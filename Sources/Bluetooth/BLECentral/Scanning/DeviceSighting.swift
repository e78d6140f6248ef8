// SPDX-License-Identifier: MIT
internal import BlueZClient

/// A device at a moment of a scan, for all scans that heard it.
///
/// Copies of an event share it: a copy of ``PeripheralInfo`` counts some twenty references, and an event is copied with each
/// hand that it passes through.
final class DeviceSighting: Sendable, Hashable {
  let info: PeripheralInfo
  let time: Timestamp

  init(_ info: PeripheralInfo, at time: Timestamp) { (self.info, self.time) = (info, time) }

  /// Describes a device now; nil for one without an address.
  convenience init?(_ device: borrowing DeviceState, in core: CentralCore) {
    guard let info = core.info(device) else { return nil }
    self.init(info, at: .now)
  }

  static func == (left: DeviceSighting, right: DeviceSighting) -> Bool {
    left === right || left.time == right.time && left.info == right.info
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(info)
    hasher.combine(time)
  }
}
