// SPDX-License-Identifier: MIT
internal import BLEFormats
package import BlectlArguments

/// A checksum of the bytes of a file.
package struct Checksum: Sendable, Hashable {
  package enum Kind: String, Sendable {
    case crc32
    case sha256

    /// Its usual name.
    var name: String { self == .crc32 ? "CRC-32" : "SHA-256" }
  }

  package let kind: Kind
  /// As devices have it: of CRC-32 the number, little-endian.
  package let bytes: [UInt8]

  package init(_ kind: Kind, of file: [UInt8]) throws(CommandError) {
    self.kind = kind
    switch kind {
    case .crc32:
      bytes = CRC32.of(file).littleEndianBytes
    case .sha256:
      do throws(CipherError) {
        bytes = try SHA256.digest(of: file)
      } catch {
        throw CommandError(status: .failed, message: "cannot compute the SHA-256: \(error)")
      }
    }
  }

  /// Hexadecimal digits, as `crc32` and `sha256sum` print them.
  package var text: String { Hex.string(kind == .crc32 ? bytes.reversed() : bytes) }

  /// `CRC-32 cbf43926`.
  package var label: String { "\(kind.name) \(text)" }

  /// Returns a description of the device's differing value, which may be no checksum.
  package func described(_ value: [UInt8]) -> String {
    guard value.count == bytes.count else { return value.isEmpty ? "no bytes" : Hex.string(value) }
    return "\(kind.name) \(Hex.string(kind == .crc32 ? value.reversed() : value))"
  }
}
