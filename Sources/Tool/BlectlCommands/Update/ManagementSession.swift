// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEFormats
internal import BLEUpdate
internal import BlectlArguments
internal import BlectlSerial
internal import BlectlSession
internal import TerminalOutput
internal import ValueStreams

/// The requests of `blectl smp` to one device, and what they print.
struct ManagementSession {
  /// The options of single requests.
  struct Options {
    var isForced = false
    var bootMode: Int?
    var isWrite = false
  }

  /// The number with which a device says that it is busy.
  private static let busy = 10

  let client: SMPClient
  /// The device, as reports call it.
  let title: String
  let address: BluetoothAddress
  let context: CommandContext

  private var isJSON: Bool { context.options.json }
  private var console: Console { context.console }

  /// Sends a request, and prints the answer; `input` is what the request sends of a file or a value.
  ///
  /// - Throws: ``UpdateError``, ``CommandError``, the errors of the console.
  func run(_ request: ManagementRequest, _ input: [UInt8], options: Options) async throws {
    switch request {
    case .echo(let text):
      let back = try await asking { try await client.echo(text) }
      try show([.text("text", back)], lines: [TerminalSafe.escaped(back)])
    case .info(let letters): try await info(letters)
    case .params:
      let parameters = try await asking { try await client.parameters() }
      try show([
        .number("buffer_size", parameters.bufferSize), .number("buffer_count", parameters.bufferCount),
      ])
    case .images: try await list(images: try await asking { try await client.images() })
    case .test(let hash):
      let whole = try await self.hash(beginningWith: hash)
      try await asking { try await client.test(whole) }
      try await list(images: try await asking { try await client.images() })
    case .confirm(let hash):
      let whole: [UInt8]? = if let hash { try await self.hash(beginningWith: hash) } else { nil }
      try await asking { try await client.confirm(whole) }
      try await list(images: try await asking { try await client.images() })
    case .erase(let slot):
      try await asking("erasing a slot of") { try await client.erase(slot: slot) }
      try done(
        "erased", slot.map { [.number("slot", $0)] } ?? [], "erased \(slot.map { "slot \($0)" } ?? "a slot")")
    case .reset: try await reset(options)
    case .shell(let words): try await shell(words)
    case .get(let path, let file): try await get(path, to: file)
    case .put(_, let path): try await put(input, as: path)
    case .hash(let path, let type):
      let hash = try await asking { try await client.fileHash(path, kind: type) }
      try show(
        [.text("path", path), .text("type", type), .bytes("hash", hash)], lines: [Hex.string(hash)])
    case .length(let path):
      let length = try await asking { try await client.fileSize(path) }
      try show([.text("path", path), .number("bytes", length)], lines: ["\(length)"])
    case .stats(let group): try await statistics(group)
    case .raw(let group, let command, let payload):
      let answer = try await asking {
        try await client.raw(
          group: UInt16(group), command: UInt8(command), isWrite: options.isWrite, payload: payload)
      }
      let facts: [ManagementFact] = [.number("group", group), .number("command", command)]
      try show(facts + [.value("answer", .map(answer))], lines: [ManagementRecord.text(of: .map(answer))])
    default: try await settings(request, input)
    }
  }

  private func settings(_ request: ManagementRequest, _ input: [UInt8]) async throws {
    switch request {
    case .readSetting(let name):
      let value = try await asking { try await client.setting(name) }
      try show(
        [.text("setting", name), .bytes("value", value)], lines: [Hex.string(value)])
    case .writeSetting(let name, _):
      try await asking { try await client.setSetting(name, to: input) }
      try done("set", [.text("setting", name), .bytes("value", input)], "set \(name)")
    case .deleteSetting(let name):
      try await asking { try await client.deleteSetting(name) }
      try done("deleted", [.text("setting", name)], "deleted \(name)")
    case .commitSettings:
      try await asking { try await client.commitSettings() }
      try done("committed", [], "the settings are in use")
    case .loadSettings:
      try await asking { try await client.loadSettings() }
      try done("loaded", [], "loaded the settings")
    case .saveSettings:
      try await asking { try await client.saveSettings() }
      try done("saved", [], "saved the settings")
    default: break
    }
  }

  private func asking<Result: Sendable>(
    _ verb: String = "asking", _ body: () async throws -> Result
  ) async throws -> Result {
    try await context.showingProgress("\(verb) \(title)", body)
  }

  // MARK: The device

  private func info(_ letters: String?) async throws {
    let (text, bootloader) = try await asking {
      // A server may know only one of the two.
      var failure: UpdateError?
      var text: String?
      do throws(UpdateError) {
        text =
          if let letters { try await client.information(letters) } else { try await client.information() }
      } catch {
        guard error.code == .notSupported else { throw error }
        failure = error
      }
      let bootloader = letters == nil ? try await client.bootloader() : nil
      if let failure, bootloader == nil { throw failure }
      return (text, bootloader)
    }
    var facts: [ManagementFact] = []
    if let text { facts.append(.text("information", text)) }
    if let bootloader {
      facts.append(.text("bootloader", bootloader.name))
      if let mode = bootloader.mode { facts.append(.text("mode", mode.word)) }
      if bootloader.refusesDowngrades { facts.append(.flag("refuses_downgrades", true)) }
    }
    if let text, letters != nil { return try show(facts, lines: [TerminalSafe.escaped(text)]) }
    try show(facts)
  }

  private func reset(_ options: Options) async throws {
    do {
      try await asking { try await client.reset(isForced: options.isForced, bootMode: options.bootMode) }
    } catch let error as UpdateError where error.deviceCode == Self.busy && !options.isForced {
      throw error.hinting("--force resets it all the same")
    }
    try done("reset", [], "reset")
  }

  private func shell(_ words: [String]) async throws {
    let answer = try await asking { try await client.shell(words) }
    // A line may end as on a serial port: with two characters, which Swift takes for one.
    var lines = answer.output.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { TerminalSafe.escaped(String($0)) }
    if lines.last == "" { lines.removeLast() }
    try show(
      [.texts("command", words), .text("output", answer.output), .number("status", answer.status)],
      lines: lines)
    guard answer.status != 0 else { return }
    throw CommandError(
      status: .failed,
      message: "cannot run '\(words.joined(separator: " "))' on \(title): its status is \(answer.status)")
  }

  private func statistics(_ group: String?) async throws {
    guard let group else {
      let names = try await asking { try await client.statistics() }
      for name in names {
        try show([.text("group", name)], lines: [TerminalSafe.escaped(name)])
      }
      return
    }
    let fields = try await asking { try await client.statistics(of: group) }
    let facts = fields.map { ManagementFact.value($0.name, $0.value) }
    if isJSON { return try write([.text("group", group), .facts("statistics", facts)]) }
    try show(facts)
  }

  // MARK: Images

  /// The hash of the one image that begins with some bytes.
  private func hash(beginningWith first: [UInt8]) async throws -> [UInt8] {
    let images = try await asking { try await client.images() }
    let all = images.compactMap(\.hash)
    let found = Set(all.filter { $0.starts(with: first) })
    if found.count == 1, let hash = found.first { return hash }
    let reason = found.isEmpty ? "it has no such image" : "\(found.count) images begin so"
    throw CommandError(
      status: .notFound, message: "cannot find the image \(Hex.string(first)) of \(title): \(reason)",
      details: images.map { "\($0.version ?? "unknown") \(Hex.string($0.hash ?? []))" })
  }

  private static let table = TableLayout(columns: [
    .init(title: "IMAGE", isNumeric: true), .init(title: "SLOT", isNumeric: true), .init(title: "VERSION"),
    .init(title: "STATE"), .init(title: "HASH", isFlexible: true),
  ])

  private func list(images: [SMPImage]) async throws {
    if isJSON {
      for image in images { try write(ManagementFact.of(image)) }
      return
    }
    let rows = images.map { image in
      [
        "\(image.image)", "\(image.slot)", image.version ?? "", image.states.joined(separator: ", "),
        image.hash.map { Hex.string($0) } ?? "",
      ]
    }
    if rows.isEmpty { return context.remark("\(title) has no image") }
    let output = console.output
    try console.write(
      lines: output.isTerminal
        ? Self.table.lines(
          rows: rows.map { $0.map { TableLayout.Cell($0) } }, width: output.size?.columns, style: output.style
        )
        : rows.map { TabSeparated.line($0) })
  }

  // MARK: Files

  private func get(_ path: String, to file: String) async throws {
    // JSON has the bytes itself.
    let target = try isJSON && file == "-" ? nil : TransferFile(file, console)
    try target?.claim(for: "\(address)")
    let tally = TransferTally(size: nil)
    tally.begin()
    let content = try await context.showingProgress(
      isTimed: false, { "receiving \(path): \(tally.progress)" }
    ) {
      try await client.download(path) { done, _ in tally.set(certain: done) }
    }
    tally.end()
    try target?.write(content) { _ in }
    try target?.finish()
    if isJSON {
      let place: ManagementFact = file == "-" ? .bytes("value", content) : .text("file", file)
      try write([.text("path", path), .number("bytes", content.count), place])
    } else if file != "-" {
      context.remark("received \(tally.summary) from \(title)")
    }
  }

  private func put(_ content: [UInt8], as path: String) async throws {
    let tally = TransferTally(size: content.count)
    tally.begin()
    try await context.showingProgress(isTimed: false, { "sending \(path): \(tally.progress)" }) {
      try await client.upload(content, to: path) { tally.set(certain: $0) }
    }
    tally.end()
    let facts: [ManagementFact] = [.text("path", path), .number("bytes", content.count)]
    try done("sent", facts, "sent \(tally.summary) to \(title)")
  }

  // MARK: Output

  /// Prints an answer: a record, lines, or without those each fact with its name.
  private func show(_ facts: [ManagementFact], lines: [String]? = nil) throws {
    if isJSON { return try write(facts) }
    if let lines { return try console.write(lines: lines) }
    let rows = facts.map { (name: $0.title, value: $0.text) }
    try console.write(
      lines: console.output.isTerminal
        ? FactLines.lines(rows, width: console.output.size?.columns, style: console.output.style)
        : rows.map { TabSeparated.line([$0.name, $0.value]) })
  }

  /// Reports a change.
  private func done(_ event: String, _ facts: [ManagementFact], _ remark: String) throws {
    if isJSON { return try write(facts, event: event) }
    context.remark(remark.contains(title) ? remark : "\(title): \(remark)")
  }

  private func write(_ facts: [ManagementFact], event: String? = nil) throws {
    try console.write(ManagementRecord(event: event, address: address, facts: facts))
  }
}

extension SMPImage {
  /// The states of the image in words.
  var states: [String] {
    [
      isActive ? "active" : nil, isConfirmed ? "confirmed" : nil, isPending ? "pending" : nil,
      isPermanent ? "permanent" : nil, isBootable ? nil : "not bootable",
    ].compactMap(\.self)
  }
}

extension SMPMode {
  /// The mode in a word.
  var word: String {
    switch self {
    case .singleSlot: "single-slot"
    case .swapScratch: "swap-scratch"
    case .overwrite: "overwrite"
    case .swapMove: "swap-move"
    case .directXIP: "direct-xip"
    case .directXIPRevert: "direct-xip-revert"
    case .ramLoad: "ram-load"
    case .firmwareLoader: "firmware-loader"
    case .singleSlotRAMLoad: "single-slot-ram-load"
    case .swapOffset: "swap-offset"
    }
  }
}
