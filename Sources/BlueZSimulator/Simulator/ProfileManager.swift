// SPDX-License-Identifier: MIT
internal import DBus

/// Remembers the profiles of clients (`ProfileManager1`); they are for BR/EDR, so that none is ever called.
final class ProfileManager: ExportedInterface {
  let description = InterfaceDescription(
    name: BlueZ.profileManager,
    methods: [
      .init("RegisterProfile", ["profile:o", "UUID:s", "options:a{sv}"]),
      .init("UnregisterProfile", ["profile:o"]),
    ])

  private var profiles: Set<ClientObject> = []

  func perform(_ method: String, _ call: MethodCall) {
    let profile = ClientObject(namedBy: call)
    if method == "RegisterProfile" {
      guard !profiles.contains(profile) else { return call.fail(.alreadyExists) }
      guard AttributeUUID(parsing: call.argument(1)?.text ?? "") != nil else {
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
