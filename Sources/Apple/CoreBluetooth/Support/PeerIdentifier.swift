// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import Foundation

/// The identifiers that represent addresses.
///
/// As on macOS they look random, are stable on a machine, and differ between machines. They are UUIDs of
/// version 5, made from the address and the machine's id, so that nothing needs to be stored.
enum PeerIdentifier {
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

/// The digest of version 5 UUIDs (FIPS 180-4).
enum SHA1 {
  static func digest(of message: [UInt8]) -> [UInt8] {
    var state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]
    var padded = message + [0x80]
    padded += [UInt8](repeating: 0, count: (120 - padded.count % 64) % 64)
    padded += (0..<8).map { UInt8(truncatingIfNeeded: (message.count * 8) >> (56 - 8 * $0)) }
    for start in stride(from: 0, to: padded.count, by: 64) {
      mix(padded[start..<start + 64], into: &state)
    }
    return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
  }

  private static func mix(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
    var words: [UInt32] = []
    for start in stride(from: block.startIndex, to: block.endIndex, by: 4) {
      words.append(block[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
    for index in 16..<80 {
      words.append((words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]).rotated(1))
    }
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for (index, word) in words.enumerated() {
      let (function, constant): (UInt32, UInt32) =
        switch index {
        case ..<20: (b & c | ~b & d, 0x5a82_7999)
        case ..<40: (b ^ c ^ d, 0x6ed9_eba1)
        case ..<60: (b & c | b & d | c & d, 0x8f1b_bcdc)
        default: (b ^ c ^ d, 0xca62_c1d6)
        }
      let next = a.rotated(5) &+ function &+ e &+ constant &+ word
      (e, d, c, b, a) = (d, c, b.rotated(30), a, next)
    }
    for (index, word) in [a, b, c, d, e].enumerated() { state[index] &+= word }
  }
}

extension UInt32 {
  fileprivate func rotated(_ count: UInt32) -> UInt32 { self << count | self >> (32 - count) }
}
