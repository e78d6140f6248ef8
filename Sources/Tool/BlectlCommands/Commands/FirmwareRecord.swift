// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEUpdate
internal import JSON
internal import TerminalOutput

/// A file with firmware: its content, and what is wrong with it.
struct FirmwareRecord: Record {
  let name: String
  private let size: Int
  /// Nil if the file is damaged.
  private let file: FirmwareFile?
  /// Sentences without a full stop.
  let problems: [String]

  /// Describes the bytes of a file, also those that are damaged.
  init(_ bytes: [UInt8], named name: String) {
    (self.name, size) = (name, bytes.count)
    do throws(FirmwareError) {
      let file = try FirmwareFile(parsing: bytes, named: name)
      (self.file, problems) = (file, file.problems)
    } catch {
      (file, problems) = (nil, [error.message])
    }
  }

  // MARK: For programs

  func write(to json: inout JSONWriter) {
    json.field("file", name)
    json.field("size", size)
    json.field("kind", kind.word)
    json.field("protocols", (file?.methods ?? []).map(\.rawValue))
    switch file?.content {
    case .image(let image, let bytes):
      json.array("images") { json in
        json.object { json in
          json.field("size", bytes.count)
          Self.write(image, to: &json)
        }
      }
    case .images(let parts):
      json.array("images") { json in
        for part in parts {
          json.object { json in
            json.field("name", part.name)
            json.field("image", part.index)
            json.field("slot", part.slot)
            json.field("board", part.board)
            json.field("size", part.bytes.count)
            Self.write(part.image, to: &json)
          }
        }
      }
    case .nordic(let parts):
      json.array("parts") { json in
        for part in parts { json.object { Self.write(part, to: &$0) } }
      }
    case .unknown, nil: break
    }
    json.field("problems", problems)
  }

  private static func write(_ image: MCUbootImage, to json: inout JSONWriter) {
    json.field("version", image.version.description)
    json.field("header_size", image.headerSize)
    json.field("program_size", image.imageSize)
    if image.loadAddress != 0 { json.field("load_address", Int(image.loadAddress)) }
    json.field("flags", image.flags.names)
    json.field("encrypted", image.isEncrypted)
    json.field("signed", image.isSigned)
    json.field("signature", image.signature)
    json.field("security_counter", image.securityCounter.map { Int($0) })
    json.field("hash", hex: image.hash)
    json.array("entries") { json in
      for entry in image.tlvs {
        json.object { json in
          json.field("type", Int(entry.type))
          json.field("name", entry.name)
          json.field("protected", entry.isProtected)
          json.field("value", hex: entry.value)
        }
      }
    }
  }

  private static func write(_ part: NordicFirmware, to json: inout JSONWriter) {
    json.field("name", part.name)
    json.field("kind", part.kind.word)
    json.field("size", part.firmware.count)
    json.field("softdevice_size", part.softDeviceSize)
    json.field("bootloader_size", part.bootloaderSize)
    json.object("init_packet") { json in
      json.field("size", part.initPacket.count)
      if let packet = part.legacyInit {
        json.field("device_type", Int(packet.deviceType))
        json.field("device_revision", Int(packet.deviceRevision))
        json.field("application_version", Int(packet.applicationVersion))
        json.field("softdevices", packet.softDevices.map { Int($0) })
        json.field("crc16", packet.crc16.map(\.fourDigits))
        json.field("sha256", hex: packet.sha256)
      } else if let packet = part.secureInit {
        json.field("firmware_version", packet.firmwareVersion)
        json.field("hardware_version", packet.hardwareVersion)
        json.field("softdevices", packet.softDevices)
        json.field("signed", packet.isSigned)
        json.field("signature", packet.signature)
        json.field("debug", packet.isDebug)
        json.field("sha256", hex: packet.sha256)
      }
    }
  }

  // MARK: For people

  /// The kind of file: a word for programs, and words for people.
  private var kind: (word: String, words: String) {
    switch file?.content {
    case .image: ("mcuboot-image", "image for MCUboot")
    case .images: ("ncs-package", "package of the nRF Connect SDK")
    case .nordic(let parts):
      parts.allSatisfy(\.isSecure)
        ? ("nordic-secure-package", "package for Nordic's Secure DFU")
        : ("nordic-legacy-package", "package for Nordic's Legacy DFU")
    case .unknown: ("unknown", "unknown")
    case nil: ("damaged", "damaged")
    }
  }

  /// The facts, without the problems.
  var facts: [(name: String, value: String)] {
    var facts = [(name: "file", value: name), (name: "kind", value: kind.words)]
    if let file, !file.methods.isEmpty {
      facts.append((name: "protocol", value: file.methods.map(\.rawValue).joined(separator: ", ")))
    }
    facts.append((name: "size", value: Self.bytes(size)))
    switch file?.content {
    case .image(let image, let bytes):
      if bytes.count != size {
        let size = Self.bytes(bytes.count, isPadded: file?.isPadded == true)
        facts.append((name: "to send", value: size))
      }
      facts += Self.facts(of: image)
    case .images(let parts):
      for part in parts {
        let slot = part.slot.map { ", slot \($0)" } ?? ""
        let board = part.board.map { ", for \($0)" } ?? ""
        let size = Self.bytes(part.bytes.count, isPadded: part.isPadded)
        facts.append((name: "image \(part.index)\(slot)", value: "\(part.name), \(size)\(board)"))
        facts += Self.facts(of: part.image)
      }
    case .nordic(let parts):
      for part in parts {
        facts.append((name: part.kind.word, value: "\(part.name), \(Self.bytes(part.firmware.count))"))
        facts +=
          part.legacyInit.map { Self.facts(of: $0) } ?? part.secureInit.map { Self.facts(of: $0) } ?? []
      }
    case .unknown, nil: break
    }
    return facts
  }

  private static func facts(of image: MCUbootImage) -> [(name: String, value: String)] {
    var facts = [(name: "version", value: image.version.description)]
    if let hash = image.hash { facts.append((name: "hash", value: Hex.string(hash))) }
    facts.append((name: "signature", value: image.signature ?? "none"))
    if !image.flags.names.isEmpty {
      facts.append((name: "flags", value: image.flags.names.joined(separator: ", ")))
    }
    if image.loadAddress != 0 {
      facts.append((name: "address", value: "0x" + String(image.loadAddress, radix: 16)))
    }
    if let counter = image.securityCounter { facts.append((name: "security counter", value: "\(counter)")) }
    return facts
  }

  private static func facts(of packet: LegacyInitPacket) -> [(name: String, value: String)] {
    var facts: [(name: String, value: String)] = []
    if packet.applicationVersion != .max {
      facts.append((name: "version", value: "\(packet.applicationVersion)"))
    }
    let device = "type \(packet.deviceType.fourDigits), revision \(packet.deviceRevision.fourDigits)"
    facts.append((name: "device", value: device))
    facts.append((name: "softdevices", value: packet.softDevices.map(\.fourDigits).joined(separator: ", ")))
    if let crc16 = packet.crc16 { facts.append((name: "CRC-16", value: crc16.fourDigits)) }
    if let sha256 = packet.sha256 { facts.append((name: "hash", value: Hex.string(sha256))) }
    return facts
  }

  private static func facts(of packet: SecureInitPacket) -> [(name: String, value: String)] {
    var facts: [(name: String, value: String)] = []
    if let version = packet.firmwareVersion { facts.append((name: "version", value: "\(version)")) }
    if let hardware = packet.hardwareVersion { facts.append((name: "hardware", value: "\(hardware)")) }
    if !packet.softDevices.isEmpty {
      let numbers = packet.softDevices.map { UInt16(exactly: $0)?.fourDigits ?? "\($0)" }
      facts.append((name: "softdevices", value: numbers.joined(separator: ", ")))
    }
    if let sha256 = packet.sha256 { facts.append((name: "hash", value: Hex.string(sha256))) }
    facts.append((name: "signature", value: packet.signature ?? "none"))
    return facts
  }

  private static func bytes(_ count: Int, isPadded: Bool = false) -> String {
    (count == 1 ? "1 byte" : "\(count) bytes") + (isPadded ? " without padding" : "")
  }
}
