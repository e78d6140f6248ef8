// SPDX-License-Identifier: MIT

/// The fields of a protobuf: numbers and bytes.
struct ProtobufFields {
  private var numbers: [Int: UInt64] = [:]
  private var contents: [Int: [UInt8]] = [:]

  /// Fails unless all bytes are fields.
  init?(_ bytes: [UInt8]) {
    var place = 0
    func varint() -> UInt64? {
      var (value, shift) = (UInt64(0), UInt64(0))
      while place < bytes.count, shift < 64 {
        let byte = bytes[place]
        place += 1
        value |= UInt64(byte & 0x7f) << shift
        if byte & 0x80 == 0 { return value }
        shift += 7
      }
      return nil
    }
    while place < bytes.count {
      guard let tag = varint(), tag >> 3 > 0, tag >> 3 < 1 << 20 else { return nil }
      let number = Int(tag >> 3)
      switch tag & 7 {
      case 0:
        guard let value = varint() else { return nil }
        numbers[number] = value
      case 2:
        guard let size = varint(), size <= UInt64(bytes.count - place) else { return nil }
        contents[number] = Array(bytes[place..<place + Int(size)])
        place += Int(size)
      default: return nil
      }
    }
  }

  func number(_ field: Int) -> UInt64? { numbers[field] }
  func bytes(_ field: Int) -> [UInt8]? { contents[field] }
  func fields(_ field: Int) -> ProtobufFields? { contents[field].flatMap { ProtobufFields($0) } }
}

/// The init packet of Secure DFU, as the boot loader reads it.
struct SecureInit: Sendable {
  enum Kind: Int, Sendable {
    case application, softDevice, bootloader, softDeviceAndBootloader

    var name: String {
      switch self {
      case .application: "application"
      case .softDevice: "softdevice"
      case .bootloader: "bootloader"
      case .softDeviceAndBootloader: "softdevice_bootloader"
      }
    }

    /// True if the application does not survive it.
    var replacesApplication: Bool { self == .softDevice || self == .softDeviceAndBootloader }
  }

  let kind: Kind
  let version: UInt32?
  let size: Int
  /// The SHA-256 of the firmware; nil for another hash.
  let digest: [UInt8]?

  /// Fails if it is none.
  init?(_ bytes: [UInt8]) {
    guard let packet = ProtobufFields(bytes),
      let command = packet.fields(1) ?? packet.fields(2)?.fields(1), command.number(1) == 1,
      let content = command.fields(2),
      let kind = Kind(rawValue: Int(truncatingIfNeeded: content.number(4) ?? 0))
    else { return nil }
    self.kind = kind
    version = content.number(1).map { UInt32(truncatingIfNeeded: $0) }
    size = (5...7).reduce(0) { $0 &+ Int(truncatingIfNeeded: content.number($1) ?? 0) }
    guard size > 0 else { return nil }
    guard let hash = content.fields(8), let value = hash.bytes(2) else { return nil }
    digest = hash.number(1) == 3 ? value.reversed() : nil
  }
}

/// The numbers with which Nordic's init packets tell versions.
enum NordicVersion {
  /// Returns `1.2.3` for 10203.
  static func text(_ number: UInt32) -> String {
    "\(number / 10_000).\(number / 100 % 100).\(number % 100)"
  }
}
