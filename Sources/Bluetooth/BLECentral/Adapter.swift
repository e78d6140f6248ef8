// SPDX-License-Identifier: MIT
internal import BlueZClient

/// An adapter of this machine at one moment; BlueZ's `org.bluez.Adapter1`.
public struct Adapter: Sendable, Hashable, Identifiable {
  /// Its name in BlueZ, such as `hci0`.
  ///
  /// An adapter that is unplugged may return under another name; its ``address`` stays.
  public let id: String
  /// The adapter's own address.
  public let address: String
  /// Its name as other devices see it (BlueZ's alias).
  public let name: String
  /// True if the adapter is powered on.
  public let isPowered: Bool
  /// True if any program is scanning with it.
  public let isDiscovering: Bool
  /// True if rfkill blocks it; always false before BlueZ 5.73.
  public let isBlocked: Bool
  /// BlueZ's own device id, which contains its version: `usb:v1D6Bp0246d0542` is 5.66.
  public let modalias: String?

  init(_ record: AdapterState) {
    id = record.identifier
    address = record.address
    name = record.alias ?? record.name ?? record.identifier
    isPowered = record.isPowered
    isDiscovering = record.isDiscovering
    isBlocked = record.isBlocked
    modalias = record.modalias
  }
}
