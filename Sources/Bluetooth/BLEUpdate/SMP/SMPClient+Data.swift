// SPDX-License-Identifier: MIT
internal import BLEFormats

/// The shell, files, statistics and settings of a device.
extension SMPClient {
  /// Runs a command of the device's shell.
  ///
  /// - Parameter words: the command and its arguments.
  /// - Returns: what it printed, and its status.
  /// - Throws: ``UpdateError``.
  public func shell(_ words: [String]) async throws(UpdateError) -> (output: String, status: Int) {
    let payload: CBORMap = ["argv": .array(words.map { .text($0) })]
    let limit = answerTime
    return try await perform("run the command") { session in
      let answer = try await session.exchange(
        .write, 9, 0, payload, "run the command", limit, isRepeatable: false)
      // Before the second version of SMP, the status of the command was that of the answer.
      if answer["o"] == nil, let failure = SMPFailure(in: answer) { throw failure }
      do { return try answer.shellOutcome } catch { throw UpdateError.malformed("run the command") }
    }
  }

  // MARK: Files

  /// Reads a file of the device.
  ///
  /// - Parameters:
  ///   - path: the path on the device.
  ///   - progress: called with the number of bytes so far, and with the size.
  /// - Returns: the content.
  /// - Throws: ``UpdateError``.
  public func download(
    _ path: String, progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) async throws(UpdateError) -> [UInt8] {
    try await perform("send the file") { session in
      var (content, size) = ([UInt8](), 0)
      repeat {
        let payload: CBORMap = ["name": .text(path), "off": CBORValue(content.count)]
        let answer = try await session.request(.read, group: 8, command: 0, payload, as: "send the file")
        guard let data = answer["data"]?.bytes, answer["off"]?.int ?? content.count == content.count else {
          throw UpdateError.malformed("send the file")
        }
        if content.isEmpty {
          guard let length = answer["len"]?.int, length >= 0 else {
            throw UpdateError.malformed("send the file")
          }
          size = length
        }
        guard !data.isEmpty || size == 0, data.count <= size - content.count else {
          throw UpdateError.malformed("send the file")
        }
        content += data
        progress(content.count, size)
      } while content.count < size
      return content
    }
  }

  /// Writes a file of the device.
  ///
  /// - Parameters:
  ///   - content: the content.
  ///   - path: the path on the device.
  ///   - progress: called with the number of bytes that the device has.
  /// - Throws: ``UpdateError``.
  public func upload(
    _ content: [UInt8], to path: String, progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws(UpdateError) {
    try await perform("take the file") { session in
      let fragment = session.link.fragmentSize
      var size = try await session.bufferSize() ?? fragment
      var (offset, sentEnd) = (0, 0)
      while true {
        let part = Self.part(of: content, from: offset, to: path, in: size)
        sentEnd = max(sentEnd, part.end)
        let answer: CBORMap
        do {
          answer = try await session.request(
            .write, group: 8, command: 0, part.payload, as: "take the file", isRepeatable: false)
        } catch let silence as Silence {
          // It may take each write as a packet of its own.
          guard size > fragment, session.mayBeTooLarge(size) else { throw silence }
          size = fragment
          session.link.forgetReceived()
          continue
        }
        // Neither back nor beyond what was sent: the file would not be this one.
        guard let next = answer["off"]?.int, next > offset || next == content.count, next <= sentEnd else {
          throw UpdateError.malformed("take the file")
        }
        offset = next
        progress(offset)
        if offset == content.count { return }
      }
    }
  }

  /// Returns the request that carries the next bytes of a file, and the offset behind them.
  private static func part(
    of content: [UInt8], from offset: Int, to path: String, in size: Int
  ) -> (payload: CBORMap, end: Int) {
    var payload: CBORMap = ["name": .text(path), "off": CBORValue(offset), "data": .bytes([])]
    if offset == 0 { payload["len"] = CBORValue(content.count) }
    let used = SMPMessage.headerSize + CBORValue.map(payload).encoded.count + 2
    let end = min(content.count, offset + max(16, size - used))
    payload["data"] = .bytes(Array(content[offset..<end]))
    return (payload, end)
  }

  /// Asks for the size of a file of the device.
  ///
  /// - Parameter path: the path on the device.
  /// - Returns: the size in bytes.
  /// - Throws: ``UpdateError``.
  public func fileSize(_ path: String) async throws(UpdateError) -> Int {
    let answer = try await ask(.read, 8, 1, ["name": .text(path)], to: "tell the size of the file")
    guard let size = answer["len"]?.int, size >= 0 else {
      throw UpdateError.malformed("tell the size of the file")
    }
    return size
  }

  /// Asks for the checksum of a file of the device.
  ///
  /// - Parameters:
  ///   - path: the path on the device.
  ///   - kind: `crc32`, `sha256`, or another kind that the device knows.
  /// - Returns: the checksum.
  /// - Throws: ``UpdateError``.
  public func fileHash(_ path: String, kind: String = "sha256") async throws(UpdateError) -> [UInt8] {
    let answer = try await ask(
      .read, 8, 2, ["name": .text(path), "type": .text(kind)], to: "tell the checksum of the file",
      within: eraseTime)
    guard let checksum = answer["output"].flatMap({ Self.checksum($0, kind) }) else {
      throw UpdateError.malformed("tell the checksum of the file")
    }
    return checksum
  }

  /// The sizes of the checksums that every server has, in bytes.
  private static let checksumSizes = ["crc32": 4, "sha256": 32]

  /// Returns the checksum of a kind in an answer; nil if it cannot be one.
  static func checksum(_ output: CBORValue, _ kind: String) -> [UInt8]? {
    switch output {
    case .bytes(let bytes): (checksumSizes[kind] ?? max(1, bytes.count)) == bytes.count ? bytes : nil
    // Only a checksum of 32 bits is sent as a number.
    case .unsigned(let number) where kind != "sha256": UInt32(exactly: number)?.bigEndianBytes
    default: nil
    }
  }

  // MARK: Statistics

  /// Asks for the groups of statistics.
  ///
  /// - Returns: their names.
  /// - Throws: ``UpdateError``.
  public func statistics() async throws(UpdateError) -> [String] {
    let answer = try await ask(.read, 2, 1, to: "list its statistics")
    let names = answer["stat_list"]?.array
    guard let names, names.allSatisfy({ $0.text != nil }) else {
      throw UpdateError.malformed("list its statistics")
    }
    return names.compactMap(\.text)
  }

  /// Asks for the statistics of a group.
  ///
  /// - Parameter group: the name of the group.
  /// - Returns: what it counts.
  /// - Throws: ``UpdateError``.
  public func statistics(of group: String) async throws(UpdateError) -> [SMPStatistic] {
    let answer = try await ask(.read, 2, 0, ["name": .text(group)], to: "tell its statistics")
    guard let statistics = SMPStatistic.all(in: answer) else {
      throw UpdateError.malformed("tell its statistics")
    }
    return statistics
  }

  // MARK: Settings

  /// Reads a setting.
  ///
  /// - Parameter name: the name.
  /// - Returns: the value.
  /// - Throws: ``UpdateError``.
  public func setting(_ name: String) async throws(UpdateError) -> [UInt8] {
    let answer = try await ask(.read, 3, 0, ["name": .text(name)], to: "tell the setting")
    guard let value = answer["val"]?.bytes else { throw UpdateError.malformed("tell the setting") }
    return value
  }

  /// Changes a setting, until the device starts again unless ``saveSettings()`` follows.
  ///
  /// - Parameters:
  ///   - name: the name.
  ///   - value: the value.
  /// - Throws: ``UpdateError``.
  public func setSetting(_ name: String, to value: [UInt8]) async throws(UpdateError) {
    _ = try await ask(.write, 3, 0, ["name": .text(name), "val": .bytes(value)], to: "change the setting")
  }

  /// Deletes a setting.
  ///
  /// - Parameter name: the name.
  /// - Throws: ``UpdateError``.
  public func deleteSetting(_ name: String) async throws(UpdateError) {
    _ = try await ask(.write, 3, 1, ["name": .text(name)], to: "delete the setting")
  }

  /// Lets the changed settings take effect.
  ///
  /// - Throws: ``UpdateError``.
  public func commitSettings() async throws(UpdateError) {
    _ = try await ask(.write, 3, 2, to: "use the settings")
  }

  /// Brings the settings back that the device has stored.
  ///
  /// - Throws: ``UpdateError``.
  public func loadSettings() async throws(UpdateError) {
    _ = try await ask(.read, 3, 3, to: "load the settings")
  }

  /// Stores the settings.
  ///
  /// - Throws: ``UpdateError``.
  public func saveSettings() async throws(UpdateError) {
    _ = try await ask(.write, 3, 3, to: "store the settings")
  }
}
