// SPDX-License-Identifier: MIT
internal import DBus

/// The health interface of BR/EDR (`HealthManager1`), which accepts no application.
final class HealthManager: ExportedInterface {
  let description = InterfaceDescription(
    name: BlueZName.healthManager,
    methods: [
      .init("CreateApplication", ["config:a{sv}"], returns: ["application:o"]),
      .init("DestroyApplication", ["application:o"]),
    ])

  func perform(_ method: String, _ call: MethodCall) {
    guard method == "DestroyApplication" else { return call.fail(.notSupported) }
    call.fail(.invalidArguments("Invalid arguments in method call, no such application"))
  }
}
