// SPDX-License-Identifier: MIT
package import BLEFormats

/// A file of firmware: an image of MCUboot, a package of images, or a package of Nordic's DFU.
///
/// ```swift
/// let firmware = try Firmware(bytes, named: "app_update.bin")
/// print(firmware.version ?? "?", firmware.methods)
/// ```
public struct Firmware: Sendable {
  /// The content of the file.
  package let file: FirmwareFile

  /// Reads a file: `.bin` or `.hex` with an image, or `.zip` with a package.
  ///
  /// - Parameters:
  ///   - bytes: the whole file.
  ///   - name: its name, for errors; the end of the name decides nothing.
  /// - Throws: ``UpdateError`` with code `unfit` if the file cannot be read.
  public init(_ bytes: [UInt8], named name: String) throws(UpdateError) {
    do throws(FirmwareError) {
      file = try FirmwareFile(parsing: bytes, named: name)
    } catch {
      throw UpdateError(.unfit, "\(name): \(error.message)")
    }
  }

  /// Takes a file that was read.
  package init(_ file: FirmwareFile) { self.file = file }

  /// The name of the file.
  public var name: String { file.name }

  /// The size of the file in bytes.
  public var size: Int { file.size }

  /// The methods that can carry it, from which the device chooses; empty if the kind of the file is unknown.
  public var methods: [UpdateMethod] { file.methods }

  /// The findings that make a device refuse it, such as a hash that differs.
  public var problems: [String] { file.problems }

  /// The version of its first image; nil if the file has none, as packages of Nordic's DFU.
  public var version: String? { parts.lazy.compactMap(\.version).first }

  /// The pieces that are sent, in order.
  public var parts: [Part] {
    switch file.content {
    case .image(let image, let bytes):
      [Part(name: file.name, size: bytes.count, version: "\(image.version)")]
    case .images(let images):
      images.map { Part(name: $0.name, size: $0.bytes.count, version: "\($0.image.version)") }
    case .nordic(let parts):
      parts.map { Part(name: $0.name, size: $0.firmware.count, version: nil) }
    case .unknown(let bytes): [Part(name: file.name, size: bytes.count, version: nil)]
    }
  }

  /// A piece of firmware that is sent as a whole.
  public struct Part: Sendable, Hashable {
    /// The name of its file, in a package that of the entry.
    public let name: String
    /// The size in bytes.
    public let size: Int
    /// The version, if the piece tells it.
    public let version: String?
  }
}
