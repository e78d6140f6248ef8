// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import DBus

/// The audio interface (`Media1`), which accepts nothing.
final class MediaManager: ExportedInterface {
  let description = InterfaceDescription(
    name: BlueZName.media,
    methods: [
      .init("RegisterEndpoint", ["endpoint:o", "properties:a{sv}"]),
      .init("UnregisterEndpoint", ["endpoint:o"]),
      .init("RegisterPlayer", ["player:o", "properties:a{sv}"]), .init("UnregisterPlayer", ["player:o"]),
      .init("RegisterApplication", ["application:o", "options:a{sv}"]),
      .init("UnregisterApplication", ["application:o"]),
    ], properties: [.init("SupportedUUIDs", "as")])

  private unowned let daemon: DaemonContext

  init(_ daemon: DaemonContext) { self.daemon = daemon }

  func value(of property: String) -> DBusValue? {
    let profiles: [UInt32] = daemon.version >= .v5_82 ? [] : [0x110A, 0x110B]
    return .strings(profiles.map { BluetoothUUID($0).longForm })
  }

  func perform(_ method: String, _ call: MethodCall) {
    call.fail(method.hasPrefix("Unregister") ? .doesNotExist : .notSupported)
  }
}
