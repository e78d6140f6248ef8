// SPDX-License-Identifier: MIT

/// A file with firmware: an image, or a package of several.
package struct FirmwareFile: Sendable {
  package enum Content: Sendable {
    /// An image for MCUboot, and the bytes to send: without padding by ff, but with the rest of a slot if it has content.
    case image(MCUbootImage, bytes: [UInt8])
    /// A package of the nRF Connect SDK, `dfu_application.zip`.
    case images([PackagedImage])
    /// A package of nrfutil or adafruit-nrfutil, in the order to send.
    case nordic([NordicFirmware])
    /// Bytes that no protocol is known for.
    case unknown(bytes: [UInt8])
  }

  package let name: String
  /// The size of the file, in bytes.
  package let size: Int
  package let content: Content
  /// True if the program of the file is followed by ff up to the end of its slot, which is not sent.
  package let isPadded: Bool
  /// The findings that make a device refuse the firmware, each with the name of its part.
  package let problems: [String]

  /// Reads a file; its bytes say what it is, its name is only for messages.
  ///
  /// - Throws: if an image, a hex file or a package is damaged, cut off, or has not what its manifest says.
  package init(parsing bytes: [UInt8], named name: String) throws(FirmwareError) {
    self.name = name
    size = bytes.count
    if ZipArchive.isLikely(bytes) {
      (content, isPadded) = (try FirmwarePackage(ZipArchive(bytes)).content, false)
    } else {
      let program = IntelHex.isLikely(bytes) ? try IntelHex(parsing: bytes).bytes : bytes
      content = try Self.content(of: program)
      isPadded = if case .image(_, let sent) = content { sent.count < program.count } else { false }
    }
    problems = Self.problems(of: content)
  }

  private static func content(of bytes: [UInt8]) throws(FirmwareError) -> Content {
    if bytes.isEmpty { throw FirmwareError("the file is empty") }
    guard MCUbootImage.isLikely(bytes) else { return .unknown(bytes: bytes) }
    let image = try MCUbootImage(parsing: bytes)
    return .image(image, bytes: image.withoutPadding(bytes))
  }

  private static func problems(of content: Content) -> [String] {
    switch content {
    case .image(let image, _): return image.problems
    case .images(let images):
      return images.flatMap { part in part.image.problems.map { "\(part.name): \($0)" } }
        + duplicates(images.map { ($0.name, "image \($0.index)" + ($0.slot.map { ", slot \($0)" } ?? "")) })
    case .nordic(let parts):
      var problems = parts.flatMap { part in part.problems.map { "\(part.name): \($0)" } }
      if Set(parts.map(\.isSecure)).count > 1 {
        problems.append("some parts are for Secure DFU, the others for Legacy DFU")
      }
      return problems
    case .unknown(let bytes):
      return [
        FileMark.meaning(of: bytes).map { "it is \($0)" } ?? "it is neither an image of MCUboot nor a package"
      ]
    }
  }

  /// Several files for one place cannot all be sent.
  private static func duplicates(_ places: [(name: String, place: String)]) -> [String] {
    var known: [String: String] = [:]
    return places.compactMap { name, place in
      if let first = known.updateValue(name, forKey: place) {
        "\(first) and \(name) are both for \(place)"
      } else {
        nil
      }
    }
  }
}

/// The first bytes of files that are taken for firmware, but belong to another way of updating.
private enum FileMark {
  static func meaning(of bytes: [UInt8]) -> String? {
    marks.first { bytes.starts(with: $0.bytes) }?.meaning
  }

  private static let marks: [(bytes: [UInt8], meaning: String)] = [
    ([0x55, 0x46, 0x32, 0x0a], "a UF2 file, for the USB drive of a bootloader"),
    ([0x7f, 0x45, 0x4c, 0x46], "an ELF file of a linker: take the signed .bin, or the package"),
    ([0x1f, 0x8b], "compressed by gzip"),
    ([0xeb, 0x17, 0xa6, 0x03], "a GBL file, for bootloaders of Silicon Labs"),
    ([0xe9], "perhaps an image for an ESP32"),
  ]
}
