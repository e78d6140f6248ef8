// SPDX-License-Identifier: MIT
internal import BlueZClient
internal import Foundation

/// The bus and the adapter that a manager uses.
///
/// `DBUS_SYSTEM_BUS_ADDRESS` and `BLECTL_ADAPTER` set them for a program, two options for one manager.
struct EngineKey: Hashable {
  let bus: Bus
  let adapter: String?

  init(_ options: [String: Any]?) {
    bus = (options?["blectl.bus"] as? String).map { .address($0) } ?? Bus.system.resolved
    let variable = ProcessInfo.processInfo.environment["BLECTL_ADAPTER"]
    adapter = options?["blectl.adapter"] as? String ?? (variable?.isEmpty == false ? variable : nil)
  }
}
