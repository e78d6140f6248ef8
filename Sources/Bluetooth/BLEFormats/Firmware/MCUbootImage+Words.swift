// SPDX-License-Identifier: MIT

extension MCUbootImage {
  /// The flags of a header.
  package struct Flags: OptionSet, Sendable, Hashable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let positionIndependent = Flags(rawValue: 0x01)
    package static let encryptedAES128 = Flags(rawValue: 0x04)
    package static let encryptedAES256 = Flags(rawValue: 0x08)
    /// A part of a program, which MCUboot does not start itself.
    package static let notBootable = Flags(rawValue: 0x10)
    package static let ramLoad = Flags(rawValue: 0x20)
    package static let romFixed = Flags(rawValue: 0x100)
    package static let compressedLZMA1 = Flags(rawValue: 0x200)
    package static let compressedLZMA2 = Flags(rawValue: 0x400)
    package static let armThumbFilter = Flags(rawValue: 0x800)

    /// True if the program is encrypted, with a key of any size.
    package var isEncrypted: Bool { !isDisjoint(with: [.encryptedAES128, .encryptedAES256]) }

    /// The words of the flags, and the hexadecimal digits of those without a name.
    package var names: [String] {
      var rest = self
      var names: [String] = []
      for (flag, name) in Self.known where contains(flag) {
        names.append(name)
        rest.remove(flag)
      }
      return rest.isEmpty ? names : names + ["0x" + String(rest.rawValue, radix: 16)]
    }

    private static let known: [(Flags, String)] = [
      (.positionIndependent, "position-independent"), (.encryptedAES128, "encrypted-aes-128"),
      (.encryptedAES256, "encrypted-aes-256"), (.notBootable, "not-bootable"), (.ramLoad, "ram-load"),
      (.romFixed, "rom-fixed"), (.compressedLZMA1, "compressed-lzma1"),
      (.compressedLZMA2, "compressed-lzma2"),
      (.armThumbFilter, "arm-thumb-filter"),
    ]
  }
}

extension MCUbootImage.TLV {
  static let securityCounter: UInt16 = 0x50

  /// The name of what the entry has; nil if its type is unknown.
  package var name: String? {
    Self.names[type] ?? (type & 0xff >= 0xa0 && type & 0xff < 0xff ? "vendor-\(type.fourDigits)" : nil)
  }

  /// The name of the algorithm, if the entry is a signature.
  var signature: String? {
    switch type {
    case 0x20: "RSA-2048"
    case 0x21: "ECDSA P-224"
    case 0x22: "ECDSA"
    case 0x23: "RSA-3072"
    case 0x24: "Ed25519"
    case 0x25: "pure signature"
    default: nil
    }
  }

  /// A hash of an image: its name, and how it is computed.
  struct Hash {
    let name: String
    let digest: ([UInt8]) throws(CipherError) -> [UInt8]
  }

  /// The algorithm, if the entry is a hash.
  var hash: Hash? {
    switch type {
    case 0x10: Hash(name: "SHA-256") { bytes throws(CipherError) in try SHA256.digest(of: bytes) }
    case 0x11: Hash(name: "SHA-384") { bytes throws(CipherError) in try SHA512.shortDigest(of: bytes) }
    case 0x12: Hash(name: "SHA-512") { bytes throws(CipherError) in try SHA512.digest(of: bytes) }
    default: nil
    }
  }

  private static let names: [UInt16: String] = [
    0x01: "key-hash", 0x02: "key", 0x10: "sha-256", 0x11: "sha-384", 0x12: "sha-512", 0x20: "rsa-2048",
    0x21: "ecdsa-p224", 0x22: "ecdsa", 0x23: "rsa-3072", 0x24: "ed25519", 0x25: "pure-signature",
    0x30: "encryption-rsa-2048", 0x31: "encryption-aes-kw", 0x32: "encryption-p256",
    0x33: "encryption-x25519",
    0x34: "encryption-x25519-sha512", 0x40: "dependency", 0x50: "security-counter", 0x60: "boot-record",
    0x70: "decompressed-size", 0x71: "decompressed-hash", 0x72: "decompressed-signature",
    0x73: "compressed-decrypted-size", 0x74: "vendor-uuid", 0x75: "class-uuid",
  ]
}
