// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEUpdate
internal import BLEWorld
internal import JSON

/// Firmware for the simulated devices of the world `update`, which differ in the protocol: version 2.0.0 of each.
///
/// It is well formed, but no processor can run it.
enum FirmwareSample {
  private static let size = 12_000
  /// 2.0.0 in the numbers of Nordic's packages.
  private static let number: UInt32 = 20_000

  /// Returns an image of MCUboot, or a package as of nrfutil.
  static func bytes(for method: UpdateMethod) -> [UInt8] {
    let code = SampleFirmware.code(size)
    return switch method {
    case .smp: SampleFirmware.image(MCUbootImage.Version(major: 2, minor: 0), size: size)
    case .secureDFU: package(code, SampleFirmware.secureInit(for: code, version: number))
    case .legacyDFU: package(code, SampleFirmware.legacyInit(for: code, version: number))
    }
  }

  /// A package of an application, stored without compression.
  private static func package(_ code: [UInt8], _ initPacket: [UInt8]) -> [UInt8] {
    var json = JSONWriter(layout: .indented)
    json.object { json in
      json.object("manifest") { json in
        json.object("application") { json in
          json.field("bin_file", "sample.bin")
          json.field("dat_file", "sample.dat")
        }
      }
    }
    return zip([("sample.bin", code), ("sample.dat", initPacket), ("manifest.json", json.bytes)])
  }

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
