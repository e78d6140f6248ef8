// SPDX-License-Identifier: MIT

extension InterfaceDescription {
  static let gattService = VersionedDescription(
    InterfaceDescription(
      name: BlueZName.gattService,
      properties: [
        Property("Handle", "q", since: .v5_82), Property("UUID", "s"), Property("Device", "o"),
        Property("Primary", "b"), Property("Includes", "ao"),
      ]))

  static let gattCharacteristic = VersionedDescription(
    InterfaceDescription(
      name: BlueZName.gattCharacteristic,
      methods: [
        Method("ReadValue", ["options:a{sv}"], returns: ["value:ay"]),
        Method("WriteValue", ["value:ay", "options:a{sv}"]),
        Method("AcquireWrite", ["options:a{sv}"], returns: ["fd:h", "mtu:q"]),
        Method("AcquireNotify", ["options:a{sv}"], returns: ["fd:h", "mtu:q"]),
        Method("StartNotify"), Method("StopNotify"),
      ],
      properties: [
        Property("Handle", "q", since: .v5_82), Property("UUID", "s"), Property("Service", "o"),
        Property("Value", "ay"), Property("Notifying", "b"),
        Property("Flags", "as"), Property("WriteAcquired", "b"), Property("NotifyAcquired", "b"),
        Property("MTU", "q"),
      ]))

  static let gattDescriptor = VersionedDescription(
    InterfaceDescription(
      name: BlueZName.gattDescriptor,
      methods: [
        Method("ReadValue", ["options:a{sv}"], returns: ["value:ay"]),
        Method("WriteValue", ["value:ay", "options:a{sv}"]),
      ],
      properties: [
        Property("Handle", "q", since: .v5_82), Property("UUID", "s"), Property("Characteristic", "o"),
        Property("Value", "ay"),
      ]))
}
