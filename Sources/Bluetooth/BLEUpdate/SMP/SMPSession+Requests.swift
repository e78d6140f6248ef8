// SPDX-License-Identifier: MIT
internal import BLEFormats

/// The requests of an update.
extension SMPSession {
  /// The size and the number of the device's buffers; nil if it does not report them.
  func parameters() async throws -> SMPParameters? {
    do {
      // A device that does not know the request may also say nothing.
      let answer = try await request(
        .read, group: 0, command: 6, as: "tell its buffers", within: min(answerTime, .seconds(3)))
      return SMPParameters(answer)
    } catch is SMPFailure {
      return nil
    } catch is Silence {
      return nil
    }
  }

  /// The bootloader and its mode; nil where the device does not tell.
  func bootloader() async throws -> SMPBootloader? {
    guard
      let answer = try await optional({
        try await request(.read, group: 0, command: 8, as: "name its bootloader")
      })
    else { return nil }
    var bootloader = SMPBootloader(name: answer["bootloader"]?.text ?? "")
    guard bootloader.name == "MCUboot" else { return bootloader }
    let query: CBORMap = ["query": "mode"]
    if let mode = try await optional({
      try await request(.read, group: 0, command: 8, query, as: "tell the mode of its bootloader")
    }) {
      bootloader.modeNumber = mode["mode"]?.int
      bootloader.refusesDowngrades = mode["no-downgrade"]?.bool ?? false
    }
    return bootloader
  }

  /// The hardware for which the firmware was made; nil where the device does not tell.
  func board() async throws -> String? {
    let format: CBORMap = ["format": "i"]
    let answer = try await optional {
      try await request(.read, group: 0, command: 7, format, as: "name its hardware")
    }
    return answer?["output"]?.text.flatMap { $0.isEmpty ? nil : $0 }
  }

  func images() async throws -> [SMPImage] {
    let words = "list its images"
    let answer = try await request(.read, group: 1, command: 0, as: words)
    do { return try SMPImage.all(in: answer) } catch { throw UpdateError.malformed(words) }
  }

  /// The slots; none where the device does not tell.
  func slots() async throws -> [SMPSlot] {
    let words = "list its slots"
    guard let answer = try await optional({ try await request(.read, group: 1, command: 6, as: words) })
    else { return [] }
    do { return try SMPSlot.all(in: answer) } catch { throw UpdateError.malformed(words) }
  }

  /// Lets the bootloader start an image at the next reset, and keep it if `isKept`; nil is the running one.
  func setState(of hash: [UInt8]?, isKept: Bool) async throws {
    var payload: CBORMap = [:]
    if let hash { payload["hash"] = .bytes(hash) }
    payload["confirm"] = .bool(isKept)
    let words = isKept ? "keep the image" : "start the image at the next reset"
    _ = try await request(.write, group: 1, command: 0, payload, as: words)
  }

  /// Lets the device start again; returns before its link ends.
  func reset(isForced: Bool = false, bootMode: Int? = nil) async throws {
    var payload: CBORMap = [:]
    if isForced { payload["force"] = .bool(true) }
    if let bootMode { payload["boot_mode"] = CBORValue(bootMode) }
    _ = try await request(.write, group: 0, command: 5, payload, as: "start again", isRepeatable: false)
  }

  /// Returns an answer, or nil if the device does not support the request.
  private func optional<Answer>(_ body: () async throws -> Answer) async throws -> Answer? {
    do { return try await body() } catch is SMPFailure { return nil }
  }
}
