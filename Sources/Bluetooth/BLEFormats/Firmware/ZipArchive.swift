// SPDX-License-Identifier: MIT

/// The files in a ZIP archive, stored or deflated; read from bytes in memory, and hostile to tricks.
struct ZipArchive {
  /// The most files.
  private static let mostFiles = 256
  /// The most bytes of all files together, decompressed.
  private static let mostBytes = 64 << 20

  private let archive: [UInt8]
  private let entries: [Entry]

  /// A file, as the directory of the archive describes it.
  private struct Entry {
    let name: String
    let method: Int
    let checksum: UInt32
    let size: Int
    let content: Range<Int>
  }

  /// Returns whether bytes begin like an archive.
  static func isLikely(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0x50, 0x4b, 0x03, 0x04]) || bytes.starts(with: [0x50, 0x4b, 0x05, 0x06])
  }

  /// Reads the directory, and checks that the files lie within the archive and apart from each other.
  init(_ archive: [UInt8]) throws(FirmwareError) {
    self.archive = archive
    let end = try EndRecord(archive)
    guard end.count <= Self.mostFiles else {
      throw FirmwareError("the archive has more than \(Self.mostFiles) files")
    }
    var directory = ByteReader(archive[end.start..<end.place])
    var entries: [Entry] = []
    var taken: [Range<Int>] = []
    for _ in 0..<end.count {
      guard let header = try DirectoryHeader(&directory) else {
        throw FirmwareError("the directory of the archive is cut off")
      }
      let (entry, whole) = try Self.entry(header, in: archive, before: end.start)
      entries.append(entry)
      taken.append(whole)
    }
    guard directory.rest.isEmpty else {
      throw FirmwareError("the directory of the archive has another size than it says")
    }
    taken.sort { $0.lowerBound < $1.lowerBound }
    for (one, next) in zip(taken, taken.dropFirst()) where one.upperBound > next.lowerBound {
      throw FirmwareError("files of the archive overlap")
    }
    guard Set(entries.map(\.name)).count == entries.count else {
      throw FirmwareError("two files of the archive have the same name")
    }
    // No overflow: each is below 2^32, and there are few.
    guard entries.reduce(0, { $0 + $1.size }) <= Self.mostBytes else {
      throw FirmwareError("the files of the archive have more than \(Self.mostBytes >> 20) MiB")
    }
    self.entries = entries
  }

  /// The names of the files, with their folders, but not the folders themselves.
  var names: [String] { entries.map(\.name).filter { !$0.hasSuffix("/") } }

  /// Returns the content of the file with a name; nil if the archive lacks it.
  func file(_ name: String) throws(FirmwareError) -> [UInt8]? {
    guard let entry = entries.first(where: { $0.name == name }) else { return nil }
    let stored = archive[entry.content]
    var bytes: [UInt8]
    do throws(FirmwareError) {
      bytes = entry.method == 0 ? Array(stored) : try Inflate.bytes(stored, size: entry.size)
    } catch {
      throw FirmwareError("\(name) is damaged: \(error)")
    }
    let checksum = CRC32.of(bytes)
    guard checksum == entry.checksum else {
      throw FirmwareError(
        "\(name) is damaged: its CRC-32 is \(Hex.string(checksum.bigEndianBytes)), not "
          + Hex.string(entry.checksum.bigEndianBytes))
    }
    return bytes
  }

  /// Finds the content of a file behind its own header, which has to agree with the directory.
  private static func entry(
    _ header: DirectoryHeader, in archive: [UInt8], before end: Int
  ) throws(FirmwareError) -> (Entry, Range<Int>) {
    let name = header.name
    guard header.flags & 0x2041 == 0 else { throw FirmwareError("\(name) is encrypted") }
    guard header.method == 0 || header.method == 8 else {
      throw FirmwareError("\(name) is compressed by the method \(header.method): only deflate is known")
    }
    guard header.method != 0 || header.size == header.compressedSize else {
      throw FirmwareError("\(name) has two sizes in the archive")
    }
    guard header.offset <= end else { throw FirmwareError("\(name) lies outside of the archive") }
    var local = ByteReader(archive[header.offset..<end])
    guard let fixed = local.bytes(30), fixed.starts(with: [0x50, 0x4b, 0x03, 0x04]) else {
      throw FirmwareError("\(name) lies outside of the archive, or has no header")
    }
    let (nameLength, extraLength) = (
      Int(fixed[26]) | Int(fixed[27]) << 8, Int(fixed[28]) | Int(fixed[29]) << 8
    )
    guard let localName = local.bytes(nameLength), localName == header.nameBytes,
      Int(fixed[8]) | Int(fixed[9]) << 8 == header.method
    else { throw FirmwareError("\(name) has another header than the directory says") }
    guard local.bytes(extraLength) != nil, header.compressedSize <= local.rest.count else {
      throw FirmwareError("\(name) is cut off")
    }
    let start = local.rest.startIndex
    let content = start..<(start + header.compressedSize)
    let entry = Entry(
      name: name, method: header.method, checksum: header.checksum, size: header.size, content: content)
    return (entry, header.offset..<content.upperBound)
  }
}

/// The end of an archive, which says where its directory is.
private struct EndRecord {
  private static let size = 22

  /// The place of this record, which is the end of the directory.
  let place: Int
  /// The place of the directory.
  let start: Int
  /// The number of files.
  let count: Int

  init(_ archive: [UInt8]) throws(FirmwareError) {
    // A comment of up to 65,535 bytes can follow.
    let lowest = max(0, archive.count - Self.size - 0xffff)
    let found = stride(from: archive.count - Self.size, through: lowest, by: -1).first { place in
      // In steps: Swift 6.2 does not find the types of all of it in one expression.
      guard archive[place...].starts(with: [0x50, 0x4b, 0x05, 0x06]) else { return false }
      let comment = Int(archive[place + 20]) | Int(archive[place + 21]) << 8
      return place + Self.size + comment == archive.count
    }
    guard let found else { throw FirmwareError("the archive is cut off: its directory is missing") }
    place = found
    var reader = ByteReader(archive[(found + 4)...])
    guard let disk = reader.unsigned(2), let directoryDisk = reader.unsigned(2),
      let here = reader.unsigned(2),
      let count = reader.unsigned(2), let size = reader.unsigned(4), let start = reader.unsigned(4)
    else { throw FirmwareError("the archive is cut off") }
    guard count != 0xffff, size != 0xffff_ffff, start != 0xffff_ffff else {
      throw FirmwareError("the archive has the ZIP64 format, which is for larger files")
    }
    guard disk == 0, directoryDisk == 0, here == count else {
      throw FirmwareError("the archive is one part of several")
    }
    guard start + size == found else {
      throw FirmwareError("the directory of the archive is not where it says")
    }
    (self.start, self.count) = (start, count)
  }
}

/// An entry of the directory.
private struct DirectoryHeader {
  let flags: Int
  let method: Int
  let checksum: UInt32
  let compressedSize: Int
  let size: Int
  let offset: Int
  let nameBytes: [UInt8]
  let name: String

  /// Takes an entry; returns nil if it is cut off, or does not begin like one.
  init?(_ reader: inout ByteReader) throws(FirmwareError) {
    guard reader.bytes(4) == [0x50, 0x4b, 0x01, 0x02], reader.bytes(4) != nil, let flags = reader.unsigned(2),
      let method = reader.unsigned(2), reader.bytes(4) != nil, let checksum = reader.unsigned(4),
      let compressedSize = reader.unsigned(4), let size = reader.unsigned(4),
      let nameLength = reader.unsigned(2),
      let extraLength = reader.unsigned(2), let commentLength = reader.unsigned(2), reader.bytes(8) != nil,
      let offset = reader.unsigned(4), let name = reader.bytes(nameLength),
      reader.bytes(extraLength + commentLength) != nil
    else { return nil }
    guard let text = String(validating: name, as: UTF8.self), !text.isEmpty else {
      throw FirmwareError("the name of a file in the archive is not UTF-8")
    }
    (self.flags, self.method, self.compressedSize, self.size) = (flags, method, compressedSize, size)
    self.checksum = UInt32(truncatingIfNeeded: checksum)
    (self.offset, nameBytes, self.name) = (offset, name, text)
  }
}
