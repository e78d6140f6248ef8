// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import Foundation

/// The identifiers that stand for addresses.
///
/// As on macOS they look random, stay the same on a machine, and differ between machines. They are UUIDs of version 5,
/// made of the address and of the machine's id, so that nothing has to be stored.
enum PeerIdentifier {
  /// What all of them are made in.
  private static let namespace: [UInt8] = [
    0x0d, 0x6f, 0x2b, 0x6e, 0x57, 0x1c, 0x4f, 0x0a, 0x9a, 0x53, 0x7b, 0x8e, 0x4c, 0x21, 0xd3, 0x90,
  ]

  private static let machine: [UInt8] = {
    let text = try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8)
    let name = text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
    return version5(of: name.isEmpty ? ProcessInfo.processInfo.hostName : name, in: namespace)
  }()

  static func identifier(of address: BluetoothAddress) -> UUID {
    let bytes = version5(of: "\(address)", in: machine)
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  private static func version5(of name: String, in namespace: [UInt8]) -> [UInt8] {
    var bytes = Array(SHA1.digest(of: namespace + name.utf8).prefix(16))
    bytes[6] = bytes[6] & 0x0f | 0x50
    bytes[8] = bytes[8] & 0x3f | 0x80
    return bytes
  }
}
