// SPDX-License-Identifier: MIT
internal import JSON

/// A ZIP archive with firmware, which its manifest describes.
struct FirmwarePackage {
  let content: FirmwareFile.Content

  private static let manifestName = "manifest.json"
  private static let longestManifest = 1 << 20

  init(_ archive: ZipArchive) throws(FirmwareError) {
    let files = try PackageFiles(archive)
    guard let text = try archive.file(files.folder + Self.manifestName) else {
      throw FirmwareError("the archive has no \(Self.manifestName)")
    }
    guard text.count <= Self.longestManifest else { throw FirmwareError("\(Self.manifestName) is too long") }
    let manifest: JSONNode
    do throws(JSONError) {
      manifest = try JSONReader.read(text)
    } catch {
      throw FirmwareError("\(Self.manifestName):\(error)")
    }
    if let parts = manifest["manifest"]?.members {
      content = .nordic(try Self.nordic(parts, files))
    } else if let images = manifest["files"]?.elements {
      content = .images(try Self.images(images, files))
    } else {
      throw FirmwareError(
        "\(Self.manifestName) describes no firmware: it has neither \"files\" nor \"manifest\"")
    }
  }

  // MARK: Nordic's bootloaders

  private static func nordic(
    _ members: [JSONMember], _ files: PackageFiles
  ) throws(FirmwareError) -> [NordicFirmware] {
    var parts: [NordicFirmware] = []
    for kind in NordicFirmware.Kind.order {
      guard let entry = members.first(where: { $0.key == kind.word })?.value else { continue }
      let name = try text(entry, "bin_file")
      let sizes = entry["info_read_only_metadata"]
      parts.append(
        NordicFirmware(
          kind, try files.file(name), initPacket: try files.file(try text(entry, "dat_file")), named: name,
          softDeviceSize: number(entry["sd_size"] ?? sizes?["sd_size"]),
          bootloaderSize: number(entry["bl_size"] ?? sizes?["bl_size"])))
    }
    if parts.isEmpty { throw FirmwareError("\(manifestName) describes no firmware") }
    return parts
  }

  // MARK: The nRF Connect SDK

  private static func images(
    _ elements: [JSONNode], _ files: PackageFiles
  ) throws(FirmwareError) -> [PackagedImage] {
    var images: [PackagedImage] = []
    for element in elements {
      let name = try text(element, "file")
      let bytes = try files.file(name)
      if let size = number(element["size"]), size != bytes.count {
        throw FirmwareError("\(name) has \(bytes.count) bytes, \(manifestName) says \(size)")
      }
      let image: MCUbootImage
      do throws(FirmwareError) {
        image = try MCUbootImage(parsing: bytes)
      } catch {
        throw FirmwareError("\(name): \(error)")
      }
      let index = number(element["image_index"] ?? element["image"] ?? element["partition"]) ?? 0
      let slot = number(element["slot"])
      guard (0..<256).contains(index), slot.map({ $0 >= 0 }) ?? true else {
        throw FirmwareError("\(manifestName) has a wrong number of the image or slot of \(name)")
      }
      let sent = image.withoutPadding(bytes)
      images.append(
        // Slots are counted on over the images, two for each.
        PackagedImage(
          name: name, bytes: sent, isPadded: sent.count < bytes.count, image: image, index: index,
          slot: slot.map { $0 % 2 },
          board: element["board"]?.string,
          version: (element["version_MCUBOOT"] ?? element["version_MCUBOOT+XIP"])?.string))
    }
    if images.isEmpty { throw FirmwareError("\(manifestName) describes no firmware") }
    return images
  }

  // MARK: Values

  private static func text(_ node: JSONNode, _ key: String) throws(FirmwareError) -> String {
    guard let text = node[key]?.string else {
      throw FirmwareError("\(manifestName): \(node.place): \"\(key)\" is missing, or is not a text")
    }
    return text
  }

  /// A number, which some programs write as a text: `"0x1000"`.
  private static func number(_ node: JSONNode?) -> Int? {
    guard let node else { return nil }
    guard let text = node.string else { return node.integer }
    return text.hasPrefix("0x") || text.hasPrefix("0X") ? Int(text.dropFirst(2), radix: 16) : Int(text)
  }
}

/// The files of a package; someone may have packed the folder again, with its name.
private struct PackageFiles {
  /// The folder of the manifest with a slash, or nothing.
  let folder: String
  private let archive: ZipArchive

  init(_ archive: ZipArchive) throws(FirmwareError) {
    self.archive = archive
    let manifest = "manifest.json"
    // Archives made by macOS also have files such as __MACOSX/._manifest.json.
    let found = archive.names.filter { $0 == manifest || $0.hasSuffix("/" + manifest) }
    if found.contains(manifest) {
      folder = ""
    } else if found.count == 1 {
      folder = String(found[0].dropLast(manifest.count))
    } else {
      throw FirmwareError(
        found.isEmpty
          ? "the archive has no manifest.json: it is not a package of firmware"
          : "the archive has several packages: unpack it, and take one of them")
    }
  }

  func file(_ name: String) throws(FirmwareError) -> [UInt8] {
    guard let bytes = try archive.file(folder + name) else {
      throw FirmwareError("the archive lacks \(name), which manifest.json names")
    }
    return bytes
  }
}
