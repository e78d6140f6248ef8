// SPDX-License-Identifier: MIT
internal import BLEFormats

/// A zip file whose files are stored as they are, as the tools for Nordic's bootloaders make them.
package enum StoredZip {
  /// Returns the bytes of the file.
  package static func bytes(_ files: [(name: String, content: [UInt8])]) -> [UInt8] {
    var (bytes, directory) = ([UInt8](), [UInt8]())
    // Parts are joined as lists: Swift 6.2 does not find the types of long sums.
    for (name, content) in files {
      let path = Array(name.utf8)
      let numbers: [[UInt8]] = [
        [20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0x5c], CRC32.of(content).littleEndianBytes,
        UInt32(content.count).littleEndianBytes, UInt32(content.count).littleEndianBytes,
        UInt16(path.count).littleEndianBytes,
      ]
      let facts = Array(numbers.joined())
      let header: [[UInt8]] = [
        [0x50, 0x4b, 1, 2, 20, 3], facts, Array(repeating: 0, count: 12),
        UInt32(bytes.count).littleEndianBytes, path,
      ]
      let file: [[UInt8]] = [[0x50, 0x4b, 3, 4], facts, [0, 0], path, content]
      directory += header.joined()
      bytes += file.joined()
    }
    let count = UInt16(files.count).littleEndianBytes
    let end: [[UInt8]] = [
      [0x50, 0x4b, 5, 6, 0, 0, 0, 0], count, count, UInt32(directory.count).littleEndianBytes,
      UInt32(bytes.count).littleEndianBytes, [0, 0],
    ]
    return bytes + directory + Array(end.joined())
  }
}
