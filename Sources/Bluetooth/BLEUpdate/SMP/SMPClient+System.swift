// SPDX-License-Identifier: MIT
internal import BLEFormats

/// The operating system of a device, and its images.
extension SMPClient {
  /// Lets the device repeat a text.
  ///
  /// - Parameter text: the text.
  /// - Returns: what came back.
  /// - Throws: ``UpdateError``.
  public func echo(_ text: String) async throws(UpdateError) -> String {
    let answer = try await ask(.write, 0, 0, ["d": .text(text)], to: "echo")
    guard let back = answer["r"]?.text else { throw UpdateError.malformed("echo") }
    return back
  }

  /// Asks for the buffers of the device.
  ///
  /// - Returns: their size and number.
  /// - Throws: ``UpdateError``: `notSupported` if the device does not tell.
  public func parameters() async throws(UpdateError) -> SMPParameters {
    let answer = try await ask(.read, 0, 6, to: "tell its buffers")
    guard let parameters = SMPParameters(answer) else { throw UpdateError.malformed("tell its buffers") }
    return parameters
  }

  /// Asks what the device runs.
  ///
  /// - Parameter format: the facts, a letter each, as of `uname`: `s` kernel, `n` name, `r` release, `v` version, `b` date,
  ///   `m` machine, `p` processor, `i` hardware, `o` system, `a` all.
  /// - Returns: the facts, as the device writes them.
  /// - Throws: ``UpdateError``.
  public func information(_ format: String = "a") async throws(UpdateError) -> String {
    let answer = try await ask(.read, 0, 7, ["format": .text(format)], to: "tell what it runs")
    guard let output = answer["output"]?.text else { throw UpdateError.malformed("tell what it runs") }
    return output
  }

  /// Asks for the bootloader of the device.
  ///
  /// - Returns: its name and mode; nil if the device does not tell.
  /// - Throws: ``UpdateError``.
  public func bootloader() async throws(UpdateError) -> SMPBootloader? {
    try await perform("name its bootloader") { try await $0.bootloader() }
  }

  /// Asks for the tasks of the operating system.
  ///
  /// - Returns: the tasks, by name.
  /// - Throws: ``UpdateError``.
  public func tasks() async throws(UpdateError) -> [SMPTask] {
    let answer = try await ask(.read, 0, 2, to: "list its tasks")
    guard let tasks = answer["tasks"]?.map else { throw UpdateError.malformed("list its tasks") }
    return try tasks.entries.map { entry throws(UpdateError) in
      guard let name = entry.key.text, let facts = entry.value.map else {
        throw UpdateError.malformed("list its tasks")
      }
      return SMPTask(name: name, facts)
    }.sorted { $0.name < $1.name }
  }

  /// Asks for the time of the device's clock.
  ///
  /// - Returns: the time, as `2026-08-01T12:00:00.000000`.
  /// - Throws: ``UpdateError``.
  public func dateTime() async throws(UpdateError) -> String {
    let answer = try await ask(.read, 0, 4, to: "tell the time")
    guard let time = answer["datetime"]?.text else { throw UpdateError.malformed("tell the time") }
    return time
  }

  /// Sets the device's clock.
  ///
  /// - Parameter time: the time, as `2026-08-01T12:00:00`.
  /// - Throws: ``UpdateError``.
  public func setDateTime(_ time: String) async throws(UpdateError) {
    _ = try await ask(.write, 0, 4, ["datetime": .text(time)], to: "set the time")
  }

  /// Lets the device start again; its link ends soon.
  ///
  /// - Parameters:
  ///   - isForced: whether it shall do so even if it is busy.
  ///   - bootMode: 1 for its bootloader, if the device supports that; nil for what it starts usually.
  /// - Throws: ``UpdateError``.
  public func reset(isForced: Bool = false, bootMode: Int? = nil) async throws(UpdateError) {
    try await perform("start again") { session in
      do {
        try await session.reset(isForced: isForced, bootMode: bootMode)
      } catch let error as BLEError where error.code == .disconnected {
        // It was faster than its answer.
      }
    }
    finish()
  }

  // MARK: Images

  /// Asks for the images in the slots of the device.
  ///
  /// - Returns: the images.
  /// - Throws: ``UpdateError``.
  public func images() async throws(UpdateError) -> [SMPImage] {
    try await perform("list its images") { try await $0.images() }
  }

  /// Asks for the slots of the device.
  ///
  /// - Returns: the slots; none if the device does not tell.
  /// - Throws: ``UpdateError``.
  public func slots() async throws(UpdateError) -> [SMPSlot] {
    try await perform("list its slots") { try await $0.slots() }
  }

  /// Lets the bootloader start an image at the next reset, once.
  ///
  /// - Parameter hash: the hash of the image.
  /// - Throws: ``UpdateError``.
  public func test(_ hash: [UInt8]) async throws(UpdateError) {
    try await perform("start the image at the next reset") {
      try await $0.setState(of: hash, isKept: false)
    }
  }

  /// Lets the device keep an image.
  ///
  /// - Parameter hash: the hash of the image; nil for the one that runs.
  /// - Throws: ``UpdateError``.
  public func confirm(_ hash: [UInt8]? = nil) async throws(UpdateError) {
    try await perform("keep the image") { try await $0.setState(of: hash, isKept: true) }
  }

  /// Erases a slot.
  ///
  /// - Parameter slot: twice the number of the image, plus 1 for its second slot; nil for the slot of the next upload.
  /// - Throws: ``UpdateError``.
  public func erase(slot: Int? = nil) async throws(UpdateError) {
    let payload: CBORMap = slot.map { ["slot": CBORValue($0)] } ?? [:]
    _ = try await ask(.write, 1, 5, payload, to: "erase the slot", within: eraseTime)
  }

  /// Erases the settings and files that the device has stored.
  ///
  /// - Throws: ``UpdateError``.
  public func eraseStorage() async throws(UpdateError) {
    _ = try await ask(.write, 63, 0, to: "erase its storage", within: eraseTime)
  }
}
