// SPDX-License-Identifier: MIT
internal import BLEFormats

extension SampleFirmware {
  /// Returns a package of an application for one of Nordic's boot loaders, as nrfutil and adafruit-nrfutil make it; its
  /// version is a number such as 10203 for 1.2.3.
  package static func package(_ kind: DFUSpec.Kind, of code: [UInt8], version: UInt32) -> [UInt8] {
    let initPacket =
      kind == .secure ? secureInit(for: code, version: version) : legacyInit(for: code, version: version)
    let manifest = """
      {
        "manifest": {"application": {"bin_file": "sample.bin", "dat_file": "sample.dat"}}
      }
      """
    return StoredZip.bytes([
      ("sample.bin", code), ("sample.dat", initPacket), ("manifest.json", Array(manifest.utf8)),
    ])
  }
}
