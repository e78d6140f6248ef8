// SPDX-License-Identifier: MIT

/// Registers the battery levels that clients know of (`BatteryProviderManager1`), and shows none of them.
final class BatteryProviderManager: ExportedInterface {
  let description = InterfaceDescription(
    name: BlueZName.batteryProviders,
    methods: [
      .init("RegisterBatteryProvider", ["provider:o"]), .init("UnregisterBatteryProvider", ["provider:o"]),
    ])

  /// The providers by their paths: bluetoothd does not distinguish those of two clients.
  private var providers: [String: ClientObject] = [:]

  func perform(_ method: String, _ call: MethodCall) {
    let provider = ClientObject(namedBy: call)
    let known = providers[provider.path]
    if method == "RegisterBatteryProvider" {
      guard known == nil else {
        return call.fail(.named("org.bluez.Error.AlreadyExists", "Provider already exists"))
      }
      providers[provider.path] = provider
    } else {
      guard known == provider else {
        return call.fail(.named("org.bluez.Error.DoesNotExist", "Provider does not exist"))
      }
      providers[provider.path] = nil
    }
    call.reply()
  }

  /// A client has left the bus.
  func clientLeft(_ name: String) { providers = providers.filter { $0.value.client != name } }
}
