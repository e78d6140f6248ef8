// SPDX-License-Identifier: MIT
internal import BLEFormats

/// A zip file whose files are stored as they are, as the tools for Nordic's bootloaders make them.
package enum StoredZip {
  /// Returns the bytes of the file.
  package static func bytes(_ files: [(name: String, content: [UInt8])]) -> [UInt8] {
    var (bytes, directory) = ([UInt8](), [UInt8]())
    for (name, content) in files {
      let sizes =
        CRC32.of(content).littleEndianBytes + UInt32(content.count).littleEndianBytes
        + UInt32(content.count).littleEndianBytes + UInt16(name.utf8.count).littleEndianBytes
      let facts: [UInt8] = [20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0x5c]
      directory += [0x50, 0x4b, 1, 2, 20, 3] + facts + sizes + [UInt8](repeating: 0, count: 12)
      directory += UInt32(bytes.count).littleEndianBytes + Array(name.utf8)
      bytes += [0x50, 0x4b, 3, 4] + facts + sizes + [0, 0] + Array(name.utf8) + content
    }
    let count = UInt16(files.count).littleEndianBytes
    return bytes + directory + [0x50, 0x4b, 5, 6, 0, 0, 0, 0] + count + count
      + UInt32(directory.count).littleEndianBytes + UInt32(bytes.count).littleEndianBytes + [0, 0]
  }
}
