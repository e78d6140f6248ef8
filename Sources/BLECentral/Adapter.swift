// SPDX-License-Identifier: MIT
internal import BlueZClient

/// A Bluetooth adapter of this machine, as it was at one moment; BlueZ's `org.bluez.Adapter1`.
public struct Adapter: Sendable, Hashable, Identifiable {
  /// `hci0`.
  ///
  /// Not stable over unplugging: ``address`` is.
  public let id: String
  /// The adapter's own address.
  public let address: String
  /// The name that other devices see: the alias.
  public let name: String
  /// Whether the adapter is on.
  public let isPowered: Bool
  /// Whether any program scans with it.
  public let isDiscovering: Bool
  /// Whether rfkill blocks it; always false before BlueZ 5.73.
  public let isBlocked: Bool
  /// The device id of BlueZ itself, with its version: `usb:v1D6Bp0246d0542` is 5.66.
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
