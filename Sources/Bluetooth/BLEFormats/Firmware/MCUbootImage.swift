// SPDX-License-Identifier: MIT

/// An image for the bootloader MCUboot: a header, the program, and entries behind it such as its hash and signature.
package struct MCUbootImage: Sendable, Equatable {
  package let version: Version
  /// The size of the header with its padding, in bytes.
  package let headerSize: Int
  /// The size of the program, in bytes.
  package let imageSize: Int
  package let flags: Flags
  /// The address that the program is made for, if it has to lie there; else 0.
  package let loadAddress: UInt32
  /// The entries in the order of the file; those that the signature protects come first.
  package let tlvs: [TLV]
  /// The size of all from the header to the last entry, in bytes; a file can be longer, by padding.
  package let size: Int
  /// The findings that make a bootloader refuse it.
  package let problems: [String]

  /// An entry behind the program.
  package struct TLV: Sendable, Equatable {
    package let type: UInt16
    package let value: [UInt8]
    /// True if the hash, and so the signature, also covers it.
    package let isProtected: Bool
  }

  /// The first number of an image, little-endian.
  static let magic: UInt32 = 0x96f3_b83d
  /// That of the images of 2017 and before, which no MCUboot of today starts.
  private static let oldMagic: UInt32 = 0x96f3_b83c
  /// The size of the header without its padding, in bytes.
  private static let smallestHeader = 32

  /// Returns whether bytes begin like an image.
  static func isLikely(_ bytes: [UInt8]) -> Bool {
    var reader = ByteReader(bytes[..<min(4, bytes.count)])
    return reader.unsigned(4).map { $0 == Int(magic) || $0 == Int(oldMagic) } ?? false
  }

  /// Reads an image, and checks its hash.
  ///
  /// - Throws: if the bytes are not an image, or an image that is cut off.
  package init(parsing bytes: [UInt8]) throws(FirmwareError) {
    let header = try Header(bytes)
    version = header.version
    (headerSize, imageSize) = (header.size, header.imageSize)
    (flags, loadAddress) = (header.flags, header.loadAddress)
    let end = header.size + header.imageSize
    guard end <= bytes.count else {
      throw FirmwareError("the image is cut off: it has \(end) bytes and more, the file \(bytes.count)")
    }
    var trailer = Trailer(bytes, from: end)
    try trailer.read(protectedSize: header.protectedSize)
    tlvs = trailer.tlvs
    size = trailer.end
    problems =
      Self.hashProblems(
        bytes[..<(end + header.protectedSize)], tlvs, isEncrypted: header.flags.isEncrypted)
      + (header.flags.contains(.notBootable) ? ["its flags say that a bootloader must not start it"] : [])
  }

  /// Returns the version of the image that begins with some bytes; nil unless they have a whole header.
  package static func version(inHeader bytes: [UInt8]) -> Version? {
    let header = try? Header(bytes)
    return header?.version
  }

  /// Returns the bytes to send of a file with the image: without padding by ff, but with the rest of a slot if it has content.
  func withoutPadding(_ bytes: [UInt8]) -> [UInt8] {
    bytes[size...].allSatisfy { $0 == 0xff } ? Array(bytes[..<size]) : bytes
  }

  /// The hash that names the image: of header, program and protected entries; nil if the image has none.
  package var hash: [UInt8]? { tlvs.first { $0.hash != nil }?.value }

  /// True if the program is encrypted; the hash is that of the program before.
  package var isEncrypted: Bool { flags.isEncrypted }

  /// True if the image has a signature; the device alone can check it.
  package var isSigned: Bool { signature != nil }

  /// The name of the signature's algorithm, such as `Ed25519`; nil without a signature.
  package var signature: String? { tlvs.lazy.compactMap(\.signature).first }

  /// The number that must not be lower than that of the installed image; nil without one.
  package var securityCounter: UInt32? {
    guard let value = tlvs.first(where: { $0.type == TLV.securityCounter })?.value, value.count == 4 else {
      return nil
    }
    return value.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  private static func hashProblems(
    _ covered: ArraySlice<UInt8>, _ tlvs: [TLV], isEncrypted: Bool
  ) -> [String] {
    let hashes = tlvs.filter { $0.hash != nil }
    if hashes.isEmpty { return ["it has no hash"] }
    // The hash is that of the program before it was encrypted.
    if isEncrypted { return [] }
    let bytes = Array(covered)
    return hashes.compactMap { tlv in
      guard let hash = tlv.hash else { return nil }
      do throws(CipherError) {
        let digest = try hash.digest(bytes)
        return digest == tlv.value
          ? nil : "the \(hash.name) is \(Hex.string(digest)), the image says \(Hex.string(tlv.value))"
      } catch {
        return "the \(hash.name) cannot be checked: \(error)"
      }
    }
  }
}

extension MCUbootImage {
  /// The fixed part of the header.
  private struct Header {
    let version: Version
    let size: Int
    let imageSize: Int
    let protectedSize: Int
    let flags: Flags
    let loadAddress: UInt32

    init(_ bytes: [UInt8]) throws(FirmwareError) {
      var reader = ByteReader(bytes[..<min(bytes.count, MCUbootImage.smallestHeader)])
      let magic = reader.unsigned(4)
      if magic == Int(MCUbootImage.oldMagic) { throw FirmwareError("the image has the old format of 2017") }
      guard magic == Int(MCUbootImage.magic) else { throw FirmwareError("it is not an image of MCUboot") }
      guard let address = reader.unsigned(4), let size = reader.unsigned(2),
        let protected = reader.unsigned(2),
        let imageSize = reader.unsigned(4), let flags = reader.unsigned(4), let major = reader.unsigned(1),
        let minor = reader.unsigned(1), let revision = reader.unsigned(2), let build = reader.unsigned(4),
        reader.unsigned(4) != nil
      else { throw FirmwareError("the header of the image is cut off") }
      guard size >= MCUbootImage.smallestHeader else {
        throw FirmwareError(
          "the header of the image has \(size) bytes, less than \(MCUbootImage.smallestHeader)")
      }
      guard imageSize > 0 else { throw FirmwareError("the image has no program") }
      (self.size, self.imageSize, protectedSize) = (size, imageSize, protected)
      self.flags = Flags(rawValue: UInt32(truncatingIfNeeded: flags))
      loadAddress = UInt32(truncatingIfNeeded: address)
      version = Version(
        major: UInt8(truncatingIfNeeded: major), minor: UInt8(truncatingIfNeeded: minor),
        revision: UInt16(truncatingIfNeeded: revision), build: UInt32(truncatingIfNeeded: build))
    }
  }

  /// The entries behind the program, as they are read.
  private struct Trailer {
    private static let mark = 0x6907
    private static let protectedMark = 0x6908

    private let bytes: [UInt8]
    private(set) var end: Int
    private(set) var tlvs: [TLV] = []

    init(_ bytes: [UInt8], from end: Int) { (self.bytes, self.end) = (bytes, end) }

    mutating func read(protectedSize: Int) throws(FirmwareError) {
      if protectedSize > 0 { try readArea(Self.protectedMark, announced: protectedSize) }
      try readArea(Self.mark, announced: nil)
    }

    private mutating func readArea(_ mark: Int, announced: Int?) throws(FirmwareError) {
      let name = announced == nil ? "entries" : "protected entries"
      var info = ByteReader(bytes[end...])
      guard let found = info.unsigned(2), let total = info.unsigned(2) else {
        throw FirmwareError("the image is cut off before its \(name)")
      }
      guard found == mark else {
        throw FirmwareError("the image has no \(name) behind its program")
      }
      guard total >= 4, announced == nil || announced == total else {
        throw FirmwareError(
          "the \(name) have \(total) bytes, not \(announced.map { "the \($0) of the header" } ?? "at least 4")"
        )
      }
      guard total <= bytes.count - end else { throw FirmwareError("the image is cut off within its \(name)") }
      var reader = ByteReader(bytes[(end + 4)..<(end + total)])
      while !reader.rest.isEmpty {
        guard let type = reader.unsigned(2), let length = reader.unsigned(2), let value = reader.bytes(length)
        else {
          throw FirmwareError("one of the \(name) leads beyond their end")
        }
        tlvs.append(
          TLV(type: UInt16(truncatingIfNeeded: type), value: value, isProtected: announced != nil))
      }
      end += total
    }
  }
}
