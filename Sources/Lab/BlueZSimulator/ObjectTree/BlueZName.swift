// SPDX-License-Identifier: MIT

internal import BLEFormats

/// The names of BlueZ's D-Bus API, spelt apart from BLECentral's so that tests catch a misspelling in either.
enum BlueZName {
  static let service = "org.bluez"
  static let root = "/org/bluez"

  static func deviceElement(_ address: String) -> String {
    "dev_" + String(address.map { $0 == ":" ? "_" : $0 })
  }

  static let adapter = "org.bluez.Adapter1"
  static let device = "org.bluez.Device1"
  static let battery = "org.bluez.Battery1"
  static let bearer = "org.bluez.Bearer.LE1"
  static let gattService = "org.bluez.GattService1"
  static let gattCharacteristic = "org.bluez.GattCharacteristic1"
  static let gattDescriptor = "org.bluez.GattDescriptor1"
  static let agent = "org.bluez.Agent1"
  static let gattManager = "org.bluez.GattManager1"
  static let media = "org.bluez.Media1"
  static let batteryProviders = "org.bluez.BatteryProviderManager1"
  static let advertisingManager = "org.bluez.LEAdvertisingManager1"
  static let advertisement = "org.bluez.LEAdvertisement1"
  static let profileManager = "org.bluez.ProfileManager1"
  static let healthManager = "org.bluez.HealthManager1"
  static let agentManager = "org.bluez.AgentManager1"
  static let monitorManager = "org.bluez.AdvertisementMonitorManager1"
  static let monitor = "org.bluez.AdvertisementMonitor1"
  /// The interface that only the simulator has.
  static let simulator = "net.blectl.Simulator1"
}

extension BluetoothUUID {
  /// Parses a UUID as bluetoothd does, which refuses 32 digits without dashes.
  init?(bluez text: String) {
    guard [4, 6, 8, 10, 36].contains(text.utf8.count) else { return nil }
    self.init(text)
  }
}
