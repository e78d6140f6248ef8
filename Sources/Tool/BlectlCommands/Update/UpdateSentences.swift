// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEFormats
internal import BLEUpdate
internal import BlectlSerial
internal import TerminalOutput

extension Firmware {
  /// The name of the file without its folder.
  var fileName: String { name.split(separator: "/").last.map(String.init) ?? name }
}

extension UpdatePlan {
  /// The versions before and after: `runs 1.2.3, will run 2.0.0`.
  func announcement(of firmware: Firmware) -> String {
    let new = to ?? firmware.fileName
    if isRunning {
      return [from.map { "ran \($0)" }, "runs \(new)", "will keep it"].compactMap(\.self)
        .joined(separator: ", ")
    }
    return "\(from.map { "runs \($0)" } ?? "does not say what it runs"), will run \(new)"
  }

  /// The version that runs; also the one before, if an earlier run has started the firmware.
  var running: String? {
    guard isRunning, !isAlreadyThere, let to else { return from }
    return "\(to), not kept yet" + (from.map { "; \($0) before" } ?? "")
  }
}

extension UpdateResult {
  /// `updated Sensor: 1.2.3 → 2.0.0; 12084 bytes in 3.2 s`.
  func sentence(about title: String, _ firmware: Firmware) -> String {
    if proof == .already { return "\(title) already runs \(to ?? firmware.version ?? firmware.fileName)" }
    let seconds = (duration / .milliseconds(100)).rounded() / 10
    let versions = to.map { ([from].compactMap(\.self) + [$0]).joined(separator: " → ") }
    let reason =
      switch proof {
      case .version, .already: ""
      case .hash: "; it runs what was sent: the hashes are equal"
      case .taken: "; its bootloader has taken the image, which the device does not list"
      case .bootloaderGone:
        (to == nil ? "; it tells no version" : "") + "; its bootloader has taken the firmware, and has ended"
      }
    return "updated \(title)\(versions.map { ": \($0)" } ?? ""); \(self.bytes.bytes) in \(seconds) s\(reason)"
  }

  /// The warning that the device does not keep all images.
  func warning(about title: String) -> String {
    let isOne = unkept.count == 1
    let image = isOne && unkept[0].image > 0 ? "image \(unkept[0].image)" : "the new firmware"
    let formers = unkept.compactMap { unkept in
      unkept.former.map { isOne ? $0 : "\($0) (image \(unkept.image))" }
    }
    let former = formers.count == unkept.count ? formers.joined(separator: " and ") : ""
    return "\(title) is not told to keep \(image): at its next reset, it returns to "
      + (former.isEmpty ? "its former firmware" : former)
  }

  /// The commands that let the device keep all images; the word behind each is for one that is not the application.
  func hint(for address: BluetoothAddress) -> String {
    if let image = unkept.first(where: { !$0.isKeepable }) {
      return
        "blectl smp \(address) reset, and update again with --confirm now: the device keeps image \(image.image) only before its first start"
    }
    return unkept.map { image in
      let hash = image.image == 0 ? "" : " \(Hex.string(Array(image.hash.prefix(8))))"
      return "blectl smp \(address) images confirm\(hash)"
    }.joined(separator: ", then ")
  }
}

extension UpdateBoard {
  /// The hint that nothing is sent twice.
  static let goesOn = "the same command goes on from there"

  /// The state that an unfinished transfer has left, and what the same command would do.
  func unfinished(_ certain: (bytes: Int, of: Int)) -> (rest: String, hint: String) {
    let place = part.map { " of part \($0.number) of \($0.of)" } ?? ""
    let known = "\(certain.bytes) of \(certain.of) bytes\(place) have certainly arrived"
    let again = "the same command sends the whole file again"
    return switch method {
    case .legacyDFU: (known, "\(again), for which the bootloader waits")
    case _ where isResumable: (known, Self.goesOn)
    // The device may have bytes of an earlier run, and has the parts before.
    case .smp where certain.bytes == 0: (known, "the same command sends what the device does not have")
    case .smp where part.map { $0.number > 1 } ?? false: (known, "the same command sends this part again")
    default: (known, again)
    }
  }
}
