// SPDX-License-Identifier: MIT
internal import Testing

@testable import BLEFormats

@Suite("ZIP archives")
struct ZipArchiveTests {
  private let sample = ZipSample(files: [("a", [1, 2, 3]), ("folder/b", []), ("folder/", [])])

  /// Opens an archive, and reads its first file.
  private func error(_ change: (inout ZipSample) -> Void) -> String? {
    var sample = sample
    change(&sample)
    return error(in: sample.bytes)
  }

  private func error(in bytes: [UInt8]) -> String? {
    do throws(FirmwareError) {
      _ = try ZipArchive(bytes).file("a")
      return nil
    } catch {
      return error.message
    }
  }

  @Test("Files are found by their names, folders are not files")
  func files() throws {
    let archive = try ZipArchive(sample.bytes)
    #expect(archive.names == ["a", "folder/b"])
    #expect(try archive.file("a") == [1, 2, 3] && archive.file("folder/b") == [] && archive.file("c") == nil)
    #expect(try ZipArchive(ZipSample(files: []).bytes).names.isEmpty)
  }

  @Test("An archive of Python is read, with deflated files")
  func deflated() throws {
    let archive = try ZipArchive(FirmwareSamples.securePackage)
    #expect(archive.names == ["manifest.json", "a.bin", "a.dat"])
    #expect(try archive.file("a.bin") == FirmwareSamples.program)
  }

  @Test("A comment behind the archive may look like an end")
  func comment() {
    #expect(error { $0.comment = Array("PK\u{5}\u{6}".utf8) + [UInt8](repeating: 0, count: 30) } == nil)
  }

  @Test("An archive that is cut off anywhere, or has bytes behind it, is refused")
  func cutOff() {
    let bytes = sample.bytes
    for count in 0..<bytes.count { #expect(error(in: Array(bytes.prefix(count))) != nil, "\(count) bytes") }
    #expect(error(in: bytes + [0]) == "the archive is cut off: its directory is missing")
    #expect(error { $0.start = [0] } == nil)
    #expect(error(in: [0] + bytes) == "the directory of the archive is not where it says")
  }

  @Test("A bomb of overlapping files is refused")
  func overlapping() {
    #expect(
      error {
        $0.files[1].offset = 0; $0.files[1].name = "a"; $0.files[1].localName = "a"
      } != nil)
    // As in the bomb of David Fifield: a file whose content contains the header of the next.
    let inner = ZipSample(files: [("b", [UInt8](repeating: 0, count: 100))])
    let header = Array(inner.bytes.prefix(131))
    var bomb = ZipSample(files: [("a", header), ("b", [UInt8](repeating: 0, count: 100))])
    bomb.files[1].offset = 31
    #expect(error(in: bomb.bytes) == "files of the archive overlap")
  }

  @Test("A bomb that says its size is refused before it is decompressed, one that lies during it")
  func bombs() {
    let huge = error { sample in
      for index in 0..<2 {
        sample.files[index].method = 8
        sample.files[index].size = 40 << 20
      }
    }
    #expect(huge == "the files of the archive have more than 64 MiB")
    let liar = error { sample in
      // A hundred thousand zeros.
      let zeros = "edc13101000000c2a0f54f6d0d0fa" + String(repeating: "0", count: 193) + "805703"
      sample.files[0].stored = Hex.bytes(zeros) ?? []
      sample.files[0].method = 8
      sample.files[0].size = 50
    }
    #expect(liar == "a is damaged: it has more than the 50 bytes that the archive says")
  }

  @Test("Wrong numbers and unknown methods are refused")
  func wrongNumbers() {
    #expect(error { $0.files[0].method = 12 } == "a is compressed by the method 12: only deflate is known")
    #expect(error { $0.files[0].flags = 1 } == "a is encrypted")
    #expect(error { $0.files[0].size = 4 } == "a has two sizes in the archive")
    #expect(error { $0.files[0].checksum ^= 1 } == "a is damaged: its CRC-32 is 55bc801d, not 55bc801c")
    #expect(error { $0.files[0].offset = 1 } == "a lies outside of the archive, or has no header")
    #expect(error { $0.files[0].offset = 1 << 30 } == "a lies outside of the archive")
    #expect(error { $0.files[0].localName = "x" } == "a has another header than the directory says")
    #expect(
      error {
        $0.files[1].name = "a"; $0.files[1].localName = "a"
      } == "two files of the archive have the same name")
    #expect(error { $0.count = 4 } == "the directory of the archive is cut off")
    #expect(error { $0.count = 2 } == "the directory of the archive has another size than it says")
    #expect(error { $0.count = 0xffff } == "the archive has the ZIP64 format, which is for larger files")
    #expect(error { $0.count = 300 } == "the archive has more than 256 files")
  }
}
