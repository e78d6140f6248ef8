// SPDX-License-Identifier: MIT

@testable internal import BLEFormats

/// Feeds any bytes to what reads firmware: files of every kind, and the parts of packages that checksums protect.
///
/// The first byte chooses what the rest is: a file; compressed bytes behind their size; the manifest of a package; or an init
/// packet.
func fuzzFirmware(_ input: UnsafeRawBufferPointer) {
  let bytes = Array(input)
  guard let choice = bytes.first else { return }
  let rest = Array(bytes.dropFirst())
  switch choice % 4 {
  case 0: checkFile(rest)
  case 1:
    guard rest.count >= 2 else { return }
    let size = Int(rest[0]) << 8 | Int(rest[1])
    if let output = try? Inflate.bytes(rest[2...], size: size) { precondition(output.count == size) }
  case 2: checkFile(archive(["manifest.json": rest, "a": image, "b": image.reversed()]))
  default:
    checkFile(
      archive([
        "manifest.json": Array(#"{"manifest":{"application":{"bin_file":"a","dat_file":"b"}}}"#.utf8),
        "a": image,
        "b": rest,
      ]))
  }
}

/// A file is refused with a reason; or its parts lie within it, and what is sent is known.
private func checkFile(_ bytes: [UInt8]) {
  let file: FirmwareFile
  do throws(FirmwareError) {
    file = try FirmwareFile(parsing: bytes, named: "file")
  } catch {
    precondition(!error.message.isEmpty)
    return
  }
  precondition(file.size == bytes.count && file.problems.allSatisfy { !$0.isEmpty })
  switch file.content {
  case .image(let image, let content): check(image, content)
  case .images(let parts):
    precondition(!parts.isEmpty)
    for part in parts { check(part.image, part.bytes) }
  case .nordic(let parts):
    precondition(!parts.isEmpty && parts.count <= 4)
    for part in parts {
      precondition(part.legacyInit == nil || part.secureInit == nil)
      if part.problems.isEmpty {
        precondition(part.softDeviceSize + part.bootloaderSize + part.applicationSize == part.firmware.count)
      }
    }
  case .unknown: precondition(!file.problems.isEmpty)
  }
}

private func check(_ image: MCUbootImage, _ bytes: [UInt8]) {
  let entries = image.tlvs.reduce(0) { $0 + 4 + $1.value.count }
  precondition(image.size <= bytes.count && image.headerSize + image.imageSize + entries + 4 <= image.size)
  precondition(MCUbootImage.Version(parsing: image.version.description) == image.version)
  _ = (image.flags.names, image.signature, image.securityCounter, image.tlvs.map(\.name))
}

/// A small image without a signature.
private let image: [UInt8] = {
  let header = "3db8f396000000002000000004000000000000000102030004000000000000000a0b0c0d"
  guard let program = Hex.bytes(header), let hash = try? SHA256.digest(of: program) else {
    preconditionFailure("no image can be made")
  }
  return program + [0x07, 0x69, 40, 0, 0x10, 0, 32, 0] + hash
}()

/// An archive of files that are stored.
private func archive(_ files: KeyValuePairs<String, [UInt8]>) -> [UInt8] {
  var (archive, directory): ([UInt8], [UInt8]) = ([], [])
  for (name, bytes) in files {
    let count = UInt32(bytes.count).littleEndianBytes
    var facts = [20, 0] + [UInt8](repeating: 0, count: 8) + CRC32.of(bytes).littleEndianBytes + count + count
    facts += UInt16(name.utf8.count).littleEndianBytes + [0, 0]
    directory += [0x50, 0x4b, 1, 2, 20, 0] + facts + [UInt8](repeating: 0, count: 10)
    directory += UInt32(archive.count).littleEndianBytes + Array(name.utf8)
    archive += [0x50, 0x4b, 3, 4] + facts + Array(name.utf8) + bytes
  }
  let count = UInt16(files.count).littleEndianBytes
  let end =
    count + count + UInt32(directory.count).littleEndianBytes + UInt32(archive.count).littleEndianBytes
  return archive + directory + [0x50, 0x4b, 5, 6, 0, 0, 0, 0] + end + [0, 0]
}

/// Feeds any bytes to the readers of CBOR and of SMP: what is read is written and read again, and means the same.
///
/// The first byte is the size of the parts in which the packets of SMP come.
func fuzzManagement(_ input: UnsafeRawBufferPointer) {
  let bytes = Array(input)
  guard let size = bytes.first else { return }
  let rest = Array(bytes.dropFirst())
  if let value = try? CBORValue(decoding: rest) {
    let encoded = value.encoded
    // Not the values: a number that is none differs from itself.
    precondition(encoded.count <= rest.count && (try? CBORValue(decoding: encoded))?.encoded == encoded)
  }
  var (whole, parts) = (SMPReassembly(), SMPReassembly())
  let packets = (try? whole.append(rest)) ?? []
  var others: [[UInt8]] = []
  var isBroken = false
  for start in stride(from: 0, to: rest.count, by: Int(size) + 1) {
    do throws(CBORError) {
      others += try parts.append(Array(rest[start...].prefix(Int(size) + 1)))
    } catch {
      isBroken = true
      break
    }
  }
  precondition(
    isBroken ? packets.starts(with: others) : others.starts(with: packets), "other packets in parts")
  precondition(whole.count + packets.reduce(0) { $0 + $1.count } <= rest.count)
  for packet in packets {
    guard let message = try? SMPMessage(decoding: packet) else { continue }
    let encoded = message.encoded
    precondition((try? SMPMessage(decoding: encoded))?.encoded == encoded)
  }
}
