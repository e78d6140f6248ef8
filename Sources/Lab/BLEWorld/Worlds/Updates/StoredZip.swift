// SPDX-License-Identifier: MIT
internal import BLEFormats

/// A zip file whose files are stored without compression, as the tools for Nordic's boot loaders make them.
package enum StoredZip {
  /// Returns the bytes of the file.
  package static func bytes(_ files: [(name: String, content: [UInt8])]) -> [UInt8] {
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
