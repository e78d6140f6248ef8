// SPDX-License-Identifier: MIT
package import AsyncIO
package import DBus

/// BlueZ's naming conventions, and calls that several clients make.
package enum BlueZ {
  package static let service = "org.bluez"
  package static let rootPath = "/org/bluez"
  package static let errorPrefix = "org.bluez.Error."

  package static let adapter = "org.bluez.Adapter1"
  package static let device = "org.bluez.Device1"
  package static let gattService = "org.bluez.GattService1"
  package static let gattCharacteristic = "org.bluez.GattCharacteristic1"
  package static let gattDescriptor = "org.bluez.GattDescriptor1"
  package static let monitorManager = "org.bluez.AdvertisementMonitorManager1"
  package static let agentManager = "org.bluez.AgentManager1"
  package static let agent = "org.bluez.Agent1"
  package static let gattManager = "org.bluez.GattManager1"
  package static let advertisingManager = "org.bluez.LEAdvertisingManager1"
  package static let advertisement = "org.bluez.LEAdvertisement1"
  package static let advertisementMonitor = "org.bluez.AdvertisementMonitor1"

  /// The call for all objects; ``ObjectModel/init(answer:)`` takes the answer.
  package static var getManagedObjects: Message {
    Message(call: "GetManagedObjects", of: StandardInterface.objectManager, at: "/", to: service)
  }

  /// A call that bluetoothd answers after everything that it sent before.
  package static var ping: Message { Message(call: "Ping", of: StandardInterface.peer, at: "/", to: service) }

  /// Repeats `isDone` each second, until it returns true or the task is cancelled.
  package static func eachSecond(
    on loop: EventLoop, isolation: isolated (any Actor)? = #isolation, _ isDone: () async -> Bool
  ) async {
    while await !isDone() {
      guard (try? await loop.sleep(for: .seconds(1))) != nil else { return }
    }
  }

  package static func call(toGet property: String, of interface: String, at path: String) -> Message {
    Message(call: "Get", of: StandardInterface.properties, at: path, to: service) {
      $0.string(interface)
      $0.string(property)
    }
  }

  package static func call(
    toSet property: String, of interface: String, at path: String, to value: Bool
  ) -> Message {
    Message(call: "Set", of: StandardInterface.properties, at: path, to: service) {
      $0.string(interface)
      $0.string(property)
      $0.value(.variant(.boolean(value)))
    }
  }

  /// The attribute handle in `…/service0010/char0011`, 0x0011; BlueZ before 5.69 has no other source for it.
  package static func handle(ofPath path: String) -> UInt16? { UInt16(path.suffix(4), radix: 16) }

  package static func adapterPath(ofDevice path: String) -> String {
    String(path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[..<$0] } ?? path[...])
  }

  /// Returns the last part of an adapter's path, such as `hci0`.
  package static func adapterName(ofPath path: String) -> String {
    String(
      path[
        (path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex)...]
    )
  }
}
