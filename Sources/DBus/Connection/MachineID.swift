// SPDX-License-Identifier: MIT
internal import CDBus

/// What a bus calls the machine: Peer.GetMachineId asks every connection for it.
enum MachineID {
  /// 32 hexadecimal digits; nil where the machine has none.
  static var text: String? {
    guard let text = dbus_try_get_local_machine_id(nil) else { return nil }
    defer { dbus_free(text) }
    return String(cString: text)
  }
}
