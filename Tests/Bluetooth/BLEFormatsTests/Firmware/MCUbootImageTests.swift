// SPDX-License-Identifier: MIT
internal import Testing

@testable import BLEFormats

@Suite("Images for MCUboot")
struct MCUbootImageTests {
  private typealias Version = MCUbootImage.Version

  @Test("An image of imgtool has the version, hash, signature and entries that it was made with")
  func signed() throws {
    let image = try MCUbootImage(parsing: FirmwareSamples.signed)
    #expect(image.version == Version(major: 1, minor: 2, revision: 3, build: 4))
    #expect(image.headerSize == 32 && image.imageSize == 64 && image.size == FirmwareSamples.signed.count)
    #expect(
      image.hash.map { Hex.string($0) } == "dff180c1d99c3661231d313190d897febb6c28b533198a85a6e9bd97b8065240")
    #expect(image.signature == "Ed25519" && image.isSigned && !image.isEncrypted)
    #expect(image.securityCounter == 7)
    #expect(image.tlvs.map(\.type) == [0x50, 0xa1, 0x10, 0x01, 0x24])
    #expect(image.tlvs.map(\.isProtected) == [true, true, false, false, false])
    #expect(image.tlvs.map(\.name) == ["security-counter", "vendor-00a1", "sha-256", "key-hash", "ed25519"])
    #expect(image.problems.isEmpty)
  }

  @Test("The version is read from the first 32 bytes alone, but not from fewer, nor from other bytes")
  func header() {
    let start = Array(FirmwareSamples.signed.prefix(32))
    #expect(MCUbootImage.version(inHeader: start) == Version(major: 1, minor: 2, revision: 3, build: 4))
    #expect(MCUbootImage.version(inHeader: start.dropLast()) == nil)
    #expect(MCUbootImage.version(inHeader: Array(start.reversed())) == nil)
  }

  @Test(
    "Hashes of every length are checked",
    arguments: [(FirmwareSamples.middleHash, 48, "SHA-384"), (FirmwareSamples.longHash, 64, "SHA-512")])
  func hashes(_ bytes: [UInt8], _ size: Int, _ name: String) throws {
    let image = try MCUbootImage(parsing: bytes)
    #expect(image.hash?.count == size && image.problems.isEmpty)
    var damaged = bytes
    damaged[40] ^= 1
    #expect(try MCUbootImage(parsing: damaged).problems.first?.hasPrefix("the \(name) is ") == true)
  }

  @Test(
    "A flipped bit of the header, the program or a protected entry is a wrong hash", arguments: [20, 50, 104])
  func damaged(_ place: Int) throws {
    var bytes = FirmwareSamples.signed
    bytes[place] ^= 1
    let problems = try MCUbootImage(parsing: bytes).problems
    #expect(problems.count == 1 && problems.first?.hasPrefix("the SHA-256 is ") == true, "\(problems)")
  }

  @Test("Of an encrypted image, the hash cannot be checked, and is no problem")
  func encrypted() throws {
    let image = try MCUbootImage(parsing: FirmwareSamples.encrypted)
    #expect(image.isEncrypted && image.flags.names == ["encrypted-aes-128"] && image.problems.isEmpty)
  }

  @Test("An image without a signature is read, one without a hash has a problem")
  func bare() throws {
    let image = try MCUbootImage(parsing: FirmwareSamples.unsigned)
    #expect(!image.isSigned && image.problems.isEmpty)
    var bytes = FirmwareSamples.unsigned
    bytes[100] = 0x60
    let other = try MCUbootImage(parsing: bytes)
    #expect(other.hash == nil && other.problems == ["it has no hash"])
  }

  @Test("An image that is cut off anywhere is refused")
  func cutOff() {
    for count in 0..<FirmwareSamples.signed.count {
      let result = Result { try MCUbootImage(parsing: Array(FirmwareSamples.signed.prefix(count))) }
      #expect(throws: FirmwareError.self, "\(count) bytes") { try result.get() }
    }
  }

  /// Changes a byte, or appends some, and returns the error.
  private func error(_ change: (inout [UInt8]) -> Void) -> String? {
    var bytes = FirmwareSamples.signed
    change(&bytes)
    do throws(FirmwareError) {
      _ = try MCUbootImage(parsing: bytes)
      return nil
    } catch {
      return error.message
    }
  }

  @Test("Numbers that lead outside of the file, or contradict each other, are refused")
  func wrongNumbers() {
    #expect(error { $0[0] = 0 } == "it is not an image of MCUboot")
    #expect(error { $0[0] = 0x3c } == "the image has the old format of 2017")
    #expect(error { $0[8] = 31 } == "the header of the image has 31 bytes, less than 32")
    #expect(error { $0[15] = 0xff }?.hasPrefix("the image is cut off") == true)
    #expect(error { $0.replaceSubrange(12..<16, with: [0, 0, 0, 0]) } == "the image has no program")
    #expect(error { $0[10] = 21 } == "the protected entries have 20 bytes, not the 21 of the header")
    #expect(error { $0[10] = 0 } == "the image has no entries behind its program")
    #expect(error { $0[96] = 0x07 } == "the image has no protected entries behind its program")
    #expect(
      error {
        $0[118] = 3; $0[119] = 0
      } == "the entries have 3 bytes, not at least 4")
    #expect(error { $0[119] = 0xff } == "the image is cut off within its entries")
    #expect(error { $0[122] = 0xff } == "one of the entries leads beyond their end")
    #expect(error { $0 += [0xff, 0xff, 0xff] } == nil)
  }

  @Test("The smallest and the largest numbers of a header do not overflow")
  func largest() throws {
    var bytes = FirmwareSamples.unsigned
    bytes.replaceSubrange(8..<16, with: [UInt8](repeating: 0xff, count: 8))
    let result = Result { try MCUbootImage(parsing: bytes) }
    #expect(throws: FirmwareError.self) { try result.get() }
    bytes = try FirmwareSamples.image(
      version: Version(major: 255, minor: 255, revision: .max, build: .max), flags: .max)
    let image = try MCUbootImage(parsing: bytes)
    #expect(image.version.description == "255.255.65535.4294967295")
    #expect(image.flags.names.last == "0xfffff0c2")
  }

  @Test(
    "Versions are read as imgtool takes and as devices print them",
    arguments: [
      ("1.2.3", "1.2.3"), ("1.2.3+4", "1.2.3.4"), ("1.2.3.4", "1.2.3.4"), ("1.2", "1.2.0"),
      ("1.2+5", "1.2.0.5"),
      ("0.0.0+0", "0.0.0"), ("255.255.65535+4294967295", "255.255.65535.4294967295"),
    ])
  func versions(_ text: String, _ printed: String) {
    #expect(Version(parsing: text)?.description == printed)
  }

  @Test(
    "Other texts are no versions",
    arguments: [
      "", "1", "1.2.3.4.5", "1.2.3.4+5", "256.0.0", "1.2.65536", "1.2.3+4294967296", "v1.2.3", "1..3",
      "1.2.-3",
      "+1.2.3", "1.2.3+", "1.2.3-rc1", "1.2.+3", " 1.2.3",
    ])
  func noVersions(_ text: String) {
    #expect(Version(parsing: text) == nil)
  }

  @Test("Versions are compared number by number")
  func order() {
    let texts = ["0.9.9+9", "1.0.0", "1.0.0+1", "1.0.10", "1.2.0", "1.10.0", "2.0.0"]
    let versions = texts.compactMap { Version(parsing: $0) }
    #expect(versions.count == texts.count && versions.shuffled().sorted() == versions)
  }
}
