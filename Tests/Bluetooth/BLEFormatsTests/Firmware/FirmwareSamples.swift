// SPDX-License-Identifier: MIT

@testable internal import BLEFormats

/// Files that other programs have made; the program in each is the numbers from 0 to 63.
enum FirmwareSamples {
  static let program = (0..<64).map { UInt8($0) }

  /// By imgtool 2.5: version 1.2.3+4, a security counter, an entry of a vendor, Ed25519.
  static let signed = bytes(
    [
      "3db8f39600000000200014004000000000000000010203000400000000000000000102030405060708090a0b0c0d0e0f",
      "101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f",
      "086914005000040007000000a1000400deadbeef0769900010002000dff180c1d99c3661231d313190d897febb6c28b5",
      "33198a85a6e9bd97b8065240010020004381a3e7e06630145621091bd50805c2da463a4c5b0bf9321a58be8b2f3da329",
      "240040003182bf3db10c758355b4c1ac07d259d757f13114e5ee0ce80727778f425ddd8f95cd11e3d2d61fc1f5d42e5d",
      "5510302316e4ef505dd03bfc06b917071c325904",
    ])

  /// By imgtool: version 2.0.0, without a signature.
  static let unsigned = bytes(
    [
      "3db8f39600000000200000004000000000000000020000000000000000000000000102030405060708090a0b0c0d0e0f",
      "101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f",
      "07692800100020009b9f3390c5e36900340bb2d4c4198b0ea9f0f5c96c1034602ac99a4eddd6e8f0",
    ])

  /// By imgtool: SHA-512.
  static let longHash = bytes(
    [
      "3db8f39600000000200000004000000000000000020000000000000000000000000102030405060708090a0b0c0d0e0f",
      "101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f",
      "0769d00012004000584f9d6eeb597510fe84e4f9f5d38305500299fb0b179261bd3cec47206047abaa2a033fab641597",
      "8a0f8ff3c1d43f547bf6c7de6aa411814ebe147ddf5d0543010040005aa15f56dcc41538e5c8af1d48bc903c9202dba6",
      "133b9e1cd043f9ecd47fbca4e332892b2ce65f0cf6339b6a82394616b14898a82a3ee532560c0b30aa86282724004000",
      "563d2f0f7c54378d92e4a2a085677c21c0c4c6006ce4d85945e4f16b3fbce6b1cd504b7e7ef6dcbea06e2f520550e2f6",
      "2c6a41fd489ebfa547ecc7172b7e9d09",
    ])

  /// By imgtool: SHA-384.
  static let middleHash = bytes(
    [
      "3db8f39600000000200000004000000000000000020000000000000000000000000102030405060708090a0b0c0d0e0f",
      "101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f",
      "0769d60011003000dc9ddf1f2edb02a8c62b1ec35619905a71e000ffb02638f3a1db86e43f1d7435c80a54e35b6d0df2",
      "1c6cac9ebbd79a4d010030002e2359a88d97a3e00c20abb75e6eb35cafefd52941e95b67f31e35208c0ce1a80cb34b11",
      "41d262e639b8668d54c4b241220066003064023078e3f0b1390bc6507e206f4d172fd654715767c3d750172be7162cc5",
      "48ba81fea579abf28400f1099dd4c838dd2fbb9502304667feaff95bd65fc7eab55d5aa1ada9a79d26ff6e785b1890f4",
      "cc1cee81c24058d99305fa9c7d1e39fc983ab6c6f37c",
    ])

  /// By imgtool: encrypted for a key of X25519.
  static let encrypted = bytes(
    [
      "3db8f39600000000200000004000000004000000020000000000000000000000456903ce50293aa388e52d5e48e38c21",
      "741c9f56b192ed3f6583ad8dd60288bc8bc508790aa67fe066dd0bbc272554bb6c1c069fea39f354a21111f55b0d6f03",
      "0769e400100020007d2f7b2c5ba6534cfb865ee5cdd4a2841e32b42cf9b394e360ada1119a67262e010020004381a3e7",
      "e06630145621091bd50805c2da463a4c5b0bf9321a58be8b2f3da329240040001e9a0fd78ede83323ea77bd03247b6d2",
      "8f76f75b8787be2727e15b3c1858c882682d562005e5e5103a6d8e287aee299eec8440d1e2a51ab41079b25b70f20009",
      "330050002c0e9a3d9b5ad9d827f65fc3ac2efd15fd819d2427e9cf2871928fd3be59cd6dd01a1e7a01f9b4db44539659",
      "0ecbbd87a7156077c00e1ac4b2cf4c107cba920ed3f4c0948fc1c217fa4b0d2f39e4b8c4",
    ])

  /// By adafruit-nrfutil 0.5.3: an application, stored.
  static let legacyPackage = bytes(
    [
      "504b03041400000000001b017d5d87430105d9010000d90100000d0000006d616e69666573742e6a736f6e7b0a202020",
      "20226d616e6966657374223a207b0a2020202020202020226170706c69636174696f6e223a207b0a2020202020202020",
      "202020202262696e5f66696c65223a20226170702e62696e222c0a202020202020202020202020226461745f66696c65",
      "223a20226170702e646174222c0a20202020202020202020202022696e69745f7061636b65745f64617461223a207b0a",
      "20202020202020202020202020202020226170706c69636174696f6e5f76657273696f6e223a20372c0a202020202020",
      "20202020202020202020226465766963655f7265766973696f6e223a2036353533352c0a202020202020202020202020",
      "20202020226465766963655f74797065223a2038322c0a20202020202020202020202020202020226669726d77617265",
      "5f6372633136223a2036343831352c0a2020202020202020202020202020202022736f66746465766963655f72657122",
      "3a205b0a20202020202020202020202020202020202020203138322c0a20202020202020202020202020202020202020",
      "2036353533340a202020202020202020202020202020205d0a2020202020202020202020207d0a20202020202020207d",
      "2c0a2020202020202020226466755f76657273696f6e223a20302e350a202020207d0a7d504b03041400000000001b01",
      "7d5d8a3f3b521000000010000000070000006170702e6461745200ffff070000000200b600feff2ffd504b0304140000",
      "0000001b017d5d8cce0e104000000040000000070000006170702e62696e000102030405060708090a0b0c0d0e0f1011",
      "12131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f504b",
      "010214031400000000001b017d5d87430105d9010000d90100000d0000000000000000000000a481000000006d616e69",
      "666573742e6a736f6e504b010214031400000000001b017d5d8a3f3b5210000000100000000700000000000000000000",
      "00a481040200006170702e646174504b010214031400000000001b017d5d8cce0e104000000040000000070000000000",
      "000000000000a481390200006170702e62696e504b05060000000003000300a50000009e0200000000",
    ])

  /// By Python, deflated: an application, with an init packet by Google's protobuf.
  static let securePackage = bytes(
    [
      "504b03041400000008000000215c9347d3c03b000000490000000d0000006d616e69666573742e6a736f6eab56ca4dcc",
      "cb4c4b2d2e51b252a8564a2c28c8c94c4e2cc9cccf03f39332f3e2d3327352811ca5443d204f4947412925b1044910c8",
      "53aaadad0500504b03041400000008000000215c8cce0e10420000004000000005000000612e62696e63606462666165",
      "63e7e0e4e2e6e1e5e3171014121611151397909492969195935750545256515553d7d0d4d2d6d1d5d337303432363135",
      "33b7b0b4b2b6b1b5b30700504b03041400000008000000215cc9d37a5d8a0000008500000005000000612e6461740185",
      "007aff1282010a3c08011238080310341a04800282022000280030003840422408031220081115d9d17c448c3a601198",
      "cf7f759c8f9ea2c9cd5826bd620371f3acb9eafd10001a40000102030405060708090a0b0c0d0e0f1011121314151617",
      "18191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f504b010214031400",
      "000008000000215c9347d3c03b000000490000000d00000000000000000000008001000000006d616e69666573742e6a",
      "736f6e504b010214031400000008000000215c8cce0e1042000000400000000500000000000000000000008001660000",
      "00612e62696e504b010214031400000008000000215cc9d37a5d8a000000850000000500000000000000000000008001",
      "cb000000612e646174504b05060000000003000300a1000000780100000000",
    ])

  /// By Python's intelhex: the image without a signature, from 0x2fff0 on, over the border of a segment.
  static let hex = """
    :020000040002F8
    :10FFF0003DB8F39600000000200000004000000023
    :020000040003F7
    :1000000000000000020000000000000000000000EE
    :10001000000102030405060708090A0B0C0D0E0F68
    :10002000101112131415161718191A1B1C1D1E1F58
    :10003000202122232425262728292A2B2C2D2E2F48
    :10004000303132333435363738393A3B3C3D3E3F38
    :1000500007692800100020009B9F3390C5E36900CA
    :10006000340BB2D4C4198B0EA9F0F5C96C103460EE
    :080070002AC99A4EDDD6E8F022
    :00000001FF

    """

  private static func bytes(_ rows: [String]) -> [UInt8] { rows.flatMap { Hex.bytes($0) ?? [] } }

  // MARK: Made here

  /// An image with any parts, and the right hash unless another is given.
  static func image(
    _ program: [UInt8] = program, version: MCUbootImage.Version = .init(major: 1, minor: 0),
    flags: UInt32 = 0,
    headerSize: UInt16 = 32, protected: [UInt8] = [], hash: [UInt8]? = nil, more: [UInt8] = []
  ) throws -> [UInt8] {
    var bytes = MCUbootImage.magic.littleEndianBytes + [0, 0, 0, 0]
    bytes += headerSize.littleEndianBytes + UInt16(protected.count).littleEndianBytes
    bytes += UInt32(program.count).littleEndianBytes + flags.littleEndianBytes
    bytes += [version.major, version.minor] + version.revision.littleEndianBytes
    bytes += version.build.littleEndianBytes + [0, 0, 0, 0]
    bytes += [UInt8](repeating: 0, count: max(0, Int(headerSize) - 32)) + program + protected
    let hash = try hash ?? SHA256.digest(of: bytes)
    let entries = entry(0x10, hash) + more
    return bytes + [0x07, 0x69] + UInt16(entries.count + 4).littleEndianBytes + entries
  }

  /// An entry behind a program.
  static func entry(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
    type.littleEndianBytes + UInt16(value.count).littleEndianBytes + value
  }

  /// A package with a manifest and further files, stored.
  static func package(_ manifest: String, _ files: [(String, [UInt8])], folder: String = "") -> [UInt8] {
    ZipSample(files: [("manifest.json", Array(manifest.utf8))] + files, folder: folder).bytes
  }
}

/// An archive with files, each of whose numbers can be made wrong.
struct ZipSample {
  struct File {
    var name: String
    /// As in the archive, so perhaps compressed.
    var stored: [UInt8]
    var size: Int
    var checksum: UInt32
    var method: UInt16 = 0
    var flags: UInt16 = 0
    /// The name in the file's own header, if it differs.
    var localName: String?
    /// The offset in the directory, if it differs.
    var offset: Int?
  }

  var files: [File]
  var comment: [UInt8] = []
  /// What stands before the first file.
  var start: [UInt8] = []
  /// The number of files that the end says, if it differs.
  var count: Int?

  init(files: [(String, [UInt8])], folder: String = "") {
    self.files = files.map { name, bytes in
      File(name: folder + name, stored: bytes, size: bytes.count, checksum: CRC32.of(bytes))
    }
  }

  var bytes: [UInt8] {
    var (archive, directory): ([UInt8], [UInt8]) = (start, [])
    for file in files {
      func facts(_ name: String) -> [UInt8] {
        // A list: Swift 6.2 does not find the types of a long sum.
        let numbers: [[UInt8]] = [
          [20, 0], file.flags.littleEndianBytes, file.method.littleEndianBytes, [0, 0, 0, 0],
          file.checksum.littleEndianBytes, UInt32(clamping: file.stored.count).littleEndianBytes,
          UInt32(clamping: file.size).littleEndianBytes, UInt16(name.utf8.count).littleEndianBytes, [0, 0],
        ]
        return Array(numbers.joined())
      }
      let offset = UInt32(clamping: file.offset ?? archive.count)
      let local = file.localName ?? file.name
      archive += Array("PK\u{3}\u{4}".utf8) + facts(local) + Array(local.utf8) + file.stored
      directory += Array("PK\u{1}\u{2}".utf8) + [20, 0] + facts(file.name) + [UInt8](repeating: 0, count: 10)
      directory += offset.littleEndianBytes + Array(file.name.utf8)
    }
    let number = UInt16(clamping: count ?? files.count).littleEndianBytes
    var end = Array("PK\u{5}\u{6}".utf8) + [0, 0, 0, 0] + number + number
    end += UInt32(directory.count).littleEndianBytes + UInt32(archive.count).littleEndianBytes
    end += UInt16(comment.count).littleEndianBytes + comment
    return archive + directory + end
  }
}
