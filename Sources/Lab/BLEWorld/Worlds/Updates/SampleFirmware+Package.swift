// SPDX-License-Identifier: MIT
internal import BLEFormats

extension SampleFirmware {
  /// Returns a package of an application for one of Nordic's boot loaders, as nrfutil and adafruit-nrfutil make it.
  ///
  /// - Parameter version: a number such as 10203 for 1.2.3.
  package static func package(_ kind: DFUSpec.Kind, of code: [UInt8], version: UInt32) -> [UInt8] {
    let initPacket =
      kind == .secure ? secureInit(for: code, version: version) : legacyInit(for: code, version: version)
    let manifest = """
      {
        "manifest": {"application": {"bin_file": "sample.bin", "dat_file": "sample.dat"}}
      }
      """
    return zip([("sample.bin", code), ("sample.dat", initPacket), ("manifest.json", Array(manifest.utf8))])
  }

  /// Returns a zip file whose files are stored without compression.
  private static func zip(_ files: [(name: String, bytes: [UInt8])]) -> [UInt8] {
    var (archive, directory): ([UInt8], [UInt8]) = ([], [])
    for (name, bytes) in files {
      // The version of zip that is needed, no flags, no compression, the first of January 1980.
      var facts = UInt16(20).littleEndianBytes + [0, 0, 0, 0, 0, 0, 0x21, 0]
      facts += CRC32.of(bytes).littleEndianBytes
      facts += UInt32(bytes.count).littleEndianBytes + UInt32(bytes.count).littleEndianBytes
      facts += UInt16(name.utf8.count).littleEndianBytes + [0, 0]
      let place = UInt32(archive.count).littleEndianBytes
      archive += Array("PK\u{3}\u{4}".utf8) + facts + Array(name.utf8) + bytes
      directory += Array("PK\u{1}\u{2}".utf8) + UInt16(20).littleEndianBytes + facts
      directory += [UInt8](repeating: 0, count: 10) + place + Array(name.utf8)
    }
    var end = Array("PK\u{5}\u{6}".utf8) + [0, 0, 0, 0]
    end += UInt16(files.count).littleEndianBytes + UInt16(files.count).littleEndianBytes
    end += UInt32(directory.count).littleEndianBytes + UInt32(archive.count).littleEndianBytes + [0, 0]
    return archive + directory + end
  }
}
