// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import DBus

/// A characteristic or a descriptor that a client has registered: the daemon asks the client for its value.
final class ApplicationAttribute {
  let object: ClientObject
  let interface: String
  let uuid: BluetoothUUID
  let flags: AttributeFlags
  /// The handle of the value.
  var handle: UInt16 = 0
  /// Whether the client wants to know the handle.
  let wantsHandle: Bool
  /// Whether it hands out a socket for notifications.
  let hasNotifySocket: Bool
  /// The client configurations, by the addresses of the centrals: 1 for notifications, 2 for indications.
  private var configurations: [String: UInt8] = [:]
  /// The values that wait for the confirmation of an indication, by link.
  var indications: [ObjectIdentifier: [[UInt8]]] = [:]
  /// The sockets that the client sends notifications to: one for all centrals, or one per central.
  var notifySockets: [NotifySocket.Audience: NotifySocket] = [:]

  init(
    _ object: ClientObject, _ interface: String, _ uuid: BluetoothUUID, _ flags: AttributeFlags,
    _ properties: DBusValue
  ) {
    self.object = object
    self.interface = interface
    self.uuid = uuid
    self.flags = flags
    wantsHandle = properties["Handle"] == .uint16(0)
    hasNotifySocket = properties["NotifyAcquired"] != nil
  }

  // MARK: Subscriptions

  var isSubscribed: Bool { !configurations.isEmpty }

  func configuration(of link: any PeripheralLink) -> UInt8 { configurations[link.central.address] ?? 0 }

  func configure(_ value: UInt8, for link: any PeripheralLink) {
    configurations[link.central.address] = value == 0 ? nil : value
    if value != 2 { indications[ObjectIdentifier(link)] = nil }
  }

  // MARK: Calls

  func message(_ method: String, _ body: (inout MessageWriter) -> Void = { _ in }) -> Message {
    Message(call: method, of: interface, at: object.path, to: object.client, body)
  }
}
