// SPDX-License-Identifier: MIT

/// An event of a scan.
public struct ScanEvent: Sendable, Hashable {
  /// The kinds of events.
  public enum Kind: String, Sendable, Hashable {
    /// The device was heard for the first time in this scan.
    case found
    /// New data became known, such as the name from a scan response.
    case changed
    /// The device was heard again; only with `reportsDuplicates`.
    case advertised
    /// BlueZ forgot the device, after not hearing it for a while (30 s).
    case lost
  }

  /// The kind of the event.
  public let kind: Kind
  private let device: DeviceSighting
  /// The time at which the event was read from the bus.
  public var time: Timestamp { device.time }
  /// The device, with what is known of it now.
  public var info: PeripheralInfo { _read { yield device.info } }
  /// The contents of the packet behind the event, as far as BlueZ tells them; nil if no packet caused it.
  ///
  /// ``PeripheralInfo/advertisement`` has what BlueZ remembers of all packets. The packet has only the manufacturer data
  /// and the service data that BlueZ signalled with it: if the scan reports duplicates, exactly those that were sent. The
  /// other facts may be of earlier packets, since BlueZ signals them only when they change. Under load, two packets may
  /// be one event.
  public var packet: AdvertisementData? { device.packet }

  init(kind: Kind, _ device: DeviceSighting) { (self.kind, self.device) = (kind, device) }
}
