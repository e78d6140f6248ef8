// SPDX-License-Identifier: MIT
internal import DBus

/// Where audio would be offered (`Media1`): nothing is taken, so nothing can be taken back.
final class MediaManager: ExportedInterface {
  let description = InterfaceDescription(
    name: BlueZ.media,
    methods: [
      .init("RegisterEndpoint", ["endpoint:o", "properties:a{sv}"]),
      .init("UnregisterEndpoint", ["endpoint:o"]),
      .init("RegisterPlayer", ["player:o", "properties:a{sv}"]), .init("UnregisterPlayer", ["player:o"]),
      .init("RegisterApplication", ["application:o", "options:a{sv}"]),
      .init("UnregisterApplication", ["application:o"]),
    ], properties: [.init("SupportedUUIDs", "as")])

  func value(of property: String) -> DBusValue? {
    .strings([AttributeUUID(0x110A).text, AttributeUUID(0x110B).text])
  }

  func perform(_ method: String, _ call: MethodCall) {
    call.fail(method.hasPrefix("Unregister") ? .doesNotExist : .notSupported)
  }
}
