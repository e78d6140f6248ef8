// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld
internal import Glibc

/// The files of new firmware for the devices of the world `update`.
enum FirmwareFiles {
  /// A file cannot be written.
  struct Failure: Error {
    let path: String
  }

  /// Writes version 2.0.0 for each protocol, whose program has `size` bytes.
  static func write(to folder: String, size: Int) throws {
    let code = SampleFirmware.code(size)
    try write(
      SampleFirmware.image(MCUbootImage.Version(major: 2, minor: 0), size: size), to: "\(folder)/smp.bin")
    try write(SampleFirmware.package(.secure, of: code, version: 20_000), to: "\(folder)/secure-dfu.zip")
    try write(SampleFirmware.package(.legacy, of: code, version: 20_000), to: "\(folder)/legacy-dfu.zip")
  }

  private static func write(_ bytes: [UInt8], to path: String) throws {
    guard let file = fopen(path, "w") else { throw Failure(path: path) }
    let count = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, count == bytes.count else { throw Failure(path: path) }
  }
}
