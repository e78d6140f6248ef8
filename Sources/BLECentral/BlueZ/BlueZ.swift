// SPDX-License-Identifier: MIT
internal import DBus

/// How BlueZ spells its names.
enum BlueZ {
  static let service = "org.bluez"
  static let rootPath = "/org/bluez"
  static let errorPrefix = "org.bluez.Error."

  static let adapter = "org.bluez.Adapter1"
  static let device = "org.bluez.Device1"
  static let gattService = "org.bluez.GattService1"
  static let gattCharacteristic = "org.bluez.GattCharacteristic1"
  static let gattDescriptor = "org.bluez.GattDescriptor1"
  static let battery = "org.bluez.Battery1"
  static let monitorManager = "org.bluez.AdvertisementMonitorManager1"
  static let agentManager = "org.bluez.AgentManager1"
  static let agent = "org.bluez.Agent1"
  static let advertisementMonitor = "org.bluez.AdvertisementMonitor1"

  /// The call that sets a property of an object.
  static func call(
    toSet property: String, of interface: String, at path: String, to value: Bool
  ) -> Message {
    Message(call: "Set", of: StandardInterface.properties, at: path, to: service) {
      $0.string(interface)
      $0.string(property)
      $0.value(.variant(.boolean(value)))
    }
  }

  /// The attribute handle at the end of a path: `…/service0010/char0011` gives 0x0011.
  ///
  /// BlueZ before 5.69 has no other source for it.
  static func handle(ofPath path: String) -> UInt16? { UInt16(path.suffix(4), radix: 16) }

  /// The path of the adapter that a device belongs to.
  static func adapterPath(ofDevice path: String) -> String {
    String(path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[..<$0] } ?? path[...])
  }

  /// The last part of an adapter's path: `hci0`.
  static func adapterName(ofPath path: String) -> String {
    String(
      path[
        (path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex)...]
    )
  }
}
