// SPDX-License-Identifier: MIT
internal import DBus

/// Where health devices of BR/EDR would be served (`HealthManager1`): no application is taken.
final class HealthManager: ExportedInterface {
  let description = InterfaceDescription(
    name: BlueZ.healthManager,
    methods: [
      .init("CreateApplication", ["config:a{sv}"], returns: ["application:o"]),
      .init("DestroyApplication", ["application:o"]),
    ])

  func perform(_ method: String, _ call: MethodCall) {
    guard method == "DestroyApplication" else { return call.fail(.notSupported) }
    call.fail(.invalidArguments("Invalid arguments in method call, no such application"))
  }
}
