// SPDX-License-Identifier: MIT

/// A Bluetooth radio of this machine, as it was when it was asked for; BlueZ's `org.bluez.Adapter1`.
public struct Adapter: Sendable, Hashable, Identifiable {
  /// `hci0`.
  ///
  /// Not stable over unplugging: ``address`` is.
  public let id: String
  /// The radio's own address.
  public let address: String
  /// What other devices see: the alias.
  public let name: String
  /// Whether the radio is on.
  public let isPowered: Bool
  /// Whether any program scans with it.
  public let isDiscovering: Bool
  /// Whether rfkill blocks it; false also where BlueZ does not tell (before 5.73).
  public let isBlocked: Bool
  /// The device id of BlueZ itself, which carries its version: `usb:v1D6Bp0246d0542` is 5.66.
  public let modalias: String?

  init(_ record: AdapterState) {
    id = record.identifier
    address = record.address
    name = record.alias ?? record.name ?? record.identifier
    isPowered = record.isPowered
    isDiscovering = record.isDiscovering
    isBlocked = record.powerState == "off-blocked"
    modalias = record.modalias
  }
}
