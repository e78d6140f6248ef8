// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import DBus

/// The profiles of clients (`ProfileManager1`); being for BR/EDR, they are never called.
final class ProfileManager: ExportedInterface {
  let description = InterfaceDescription(
    name: BlueZName.profileManager,
    methods: [
      .init("RegisterProfile", ["profile:o", "UUID:s", "options:a{sv}"]),
      .init("UnregisterProfile", ["profile:o"]),
    ])

  private var profiles: Set<ClientObject> = []

  func perform(_ method: String, _ call: MethodCall) {
    let profile = ClientObject(namedBy: call)
    if method == "RegisterProfile" {
      guard !profiles.contains(profile) else { return call.fail(.alreadyExists) }
      guard BluetoothUUID(bluez: call.argument(1)?.text ?? "") != nil else {
        return call.fail(.invalidArguments)
      }
      profiles.insert(profile)
    } else {
      guard profiles.remove(profile) != nil else { return call.fail(.doesNotExist) }
    }
    call.reply()
  }

  /// A client has left the bus.
  func clientLeft(_ name: String) { profiles = profiles.filter { $0.client != name } }
}
