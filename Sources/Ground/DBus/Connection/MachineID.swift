// SPDX-License-Identifier: MIT
internal import CDBus

/// The D-Bus identifier of the machine, which every connection returns for Peer.GetMachineId.
enum MachineID {
  /// 32 hexadecimal digits; nil if the machine has none.
  static var text: String? {
    guard let text = dbus_try_get_local_machine_id(nil) else { return nil }
    defer { dbus_free(text) }
    return String(cString: text)
  }
}
