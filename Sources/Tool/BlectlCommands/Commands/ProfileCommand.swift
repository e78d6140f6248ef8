// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import BLEFormats
internal import BlectlArguments
internal import BlectlSession
internal import JSON
internal import TerminalOutput
internal import ValueStreams

struct ProfileCommand: BlectlCommand {
  static let configuration = CommandConfiguration(
    commandName: "profile", _superCommandName: Blectl.name,
    abstract: "Check or begin files with names and layouts of your own.",
    discussion: """
      blectl profile new Piano --simulate > piano.json
      blectl profile check piano.json
      blectl profile show piano.json

      'check' finds all mistakes of the files; --example shows what bytes mean by them, and --log what they make of a log that \
      'subscribe --json' or 'scan --json' has written. 'show' lists the entries of \
      --profile, $BLECTL_PROFILE and ~/.config/blectl/profiles, or of some files. 'new' connects to a device, and prints an \
      entry for every unknown UUID, with the value that the device has now.
      """)

  enum Action: String, CaseIterable {
    case check
    case show
    case new
  }

  @Argument(
    help: "check, show or new.", completion: .list(Action.allWords),
    transform: { try Action(word: $0, of: "action") })
  var action: Action
  @Argument(help: "Files; for new, the device.", completion: .file(extensions: ["json"]))
  var words: [String] = []
  @Option(
    help: ArgumentHelp(
      "For check: the name or UUID of an entry, and bytes in hexadecimal; repeatable.", valueName: "name=hex"),
    transform: ProfileExample.init(parsing:))
  var example: [ProfileExample] = []
  @Option(
    help: ArgumentHelp(
      "For check: decode the values in this log of JSON records; - is standard input.", valueName: "file"),
    completion: .file(extensions: ["ndjson"]))
  var log: String?
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  func validate() throws {
    switch action {
    case .check where words.isEmpty: throw ValidationError("missing FILE to check")
    case .new where words.count != 1: throw ValidationError("new takes one DEVICE")
    default: break
    }
    if action != .check, !example.isEmpty { throw ValidationError("--example needs check") }
    if action != .check, log != nil { throw ValidationError("--log needs check") }
  }

  func run(in context: CommandContext) async throws {
    switch action {
    case .check: try check(context)
    case .show: try show(context)
    case .new: try await begin(try DeviceArgument(parsing: words[0]), context)
    }
  }

  // MARK: Checking

  private func check(_ context: CommandContext) throws {
    let console = context.console
    var profiles: [Profile] = []
    var failure: CommandError?
    for path in words {
      do throws(ProfileError) { profiles.append(try ProfileFiles.profile(path)) } catch {
        // The mistakes of all files, not only those of the first.
        failure?.details += error.mistakes.isEmpty ? [error.description] : error.mistakes
        failure = failure ?? CommandError(error)
      }
    }
    if let failure { throw failure }
    if example.isEmpty, log == nil {
      let count = profiles.reduce(0) { $0 + ProfileEntryRecord.all(of: $1).count }
      if !common.json { try console.write(line: "\(count) entr\(count == 1 ? "y" : "ies"), no mistakes") }
      return
    }
    for example in example { try write(try example.decoded(by: profiles), to: console) }
    if let log { try decode(log, by: profiles, context) }
  }

  /// Logs of weeks are longer.
  private static let longestLog = 1 << 30

  private func decode(_ path: String, by profiles: [Profile], _ context: CommandContext) throws {
    let bytes = try ValueSource.content(of: path, most: ProfileCommand.longestLog)
    let log: ProfileLog
    do throws(JSONError) { log = try ProfileLog(bytes, by: profiles) } catch {
      throw CommandError.usage("cannot decode \(path): line \(error)")
    }
    for record in log.records {
      if common.json {
        try context.console.write(record)
      } else {
        try context.console.write(line: record.line)
      }
    }
    guard !log.records.isEmpty else {
      throw CommandError(
        status: .failed,
        message: "cannot decode \(path): no entry with a layout describes any of its \(log.count) values")
    }
    let problems = log.problemCount == 0 ? "" : ", \(log.problemCount) with bytes that do not fit"
    context.remark("blectl: \(log.records.count) of \(log.count) values decoded\(problems)")
  }

  private func write(_ record: DecodedRecord, to console: Console) throws {
    if common.json { return try console.write(record) }
    try console.write(line: "\(TerminalSafe.escaped(record.name)): \(TerminalValue.text(of: record.decoded))")
  }

  // MARK: Showing

  private func show(_ context: CommandContext) throws {
    let profiles =
      words.isEmpty
      ? Vocabulary.known.profiles.profiles
      : try ProfileFiles.profiles(words)
    let records = profiles.flatMap(ProfileEntryRecord.all)
    let console = context.console
    if common.json {
      for record in records { try console.write(record) }
    } else if records.isEmpty {
      context.remark("no profile; blectl help profiles shows how to write one")
    } else if console.output.isTerminal {
      try console.write(
        lines: ProfileEntryRecord.table.lines(
          rows: records.map(\.cells), width: console.output.size?.columns, style: console.output.style))
    } else {
      try console.write(lines: records.map { TabSeparated.line($0.cells.map(\.text)) })
    }
  }

  // MARK: Beginning a file

  private func begin(_ device: DeviceArgument, _ context: CommandContext) async throws {
    let link = try await DeviceConnection.open(DeviceChoice(device, pick: nil), in: context)
    let reader = ValueReader(link, context)
    var draft = ProfileDraft(name: link.info.name, address: link.info.address)
    for service in try await link.services() {
      draft.add(service)
      for characteristic in service.characteristics where draft.isUnknown(characteristic) {
        var value: [UInt8]?
        if characteristic.properties.contains(.read),
          case .value(let reading) = try await reader.read(characteristic)
        {
          value = reading.value
        }
        draft.add(characteristic, value)
      }
    }
    try context.console.write(bytes: draft.json)
  }
}

/// Bytes, and the entry of a profile that decodes them.
struct ProfileExample: Sendable {
  private let name: String
  private let bytes: [UInt8]

  init(parsing text: String) throws(ArgumentError) {
    guard let equals = text.lastIndex(of: "=") else { throw ArgumentError(text, "is not NAME=HEX") }
    name = String(text[..<equals])
    do throws(FormatError) {
      bytes = try HexValue.bytes(text[text.index(after: equals)...])
    } catch { throw ArgumentError(error) }
  }

  func decoded(by profiles: [Profile]) throws(CommandError) -> DecodedRecord {
    let wanted = AssignedNumbers.hyphenated(name)
    let uuid = BluetoothUUID(name)
    for entry in profiles.flatMap({ $0.characteristics + $0.descriptors }) {
      guard entry.uuid == uuid || AssignedNumbers.hyphenated(entry.name) == wanted, let layout = entry.layout
      else { continue }
      return DecodedRecord(uuid: entry.uuid, name: entry.name, value: bytes, decoded: layout.decode(bytes))
    }
    for entry in profiles.flatMap(\.advertisements)
    where entry.type == name || AssignedNumbers.hyphenated(entry.name) == wanted {
      let data: AdvertisedData =
        switch entry.sender {
        case .company(let company): .manufacturer(company, bytes)
        case .service(let service): .service(service, bytes)
        }
      guard let format = entry.decode(data, of: entry.device.map { ProfileSubject(names: [$0]) }) else {
        throw CommandError(
          status: .failed,
          message: "cannot decode the example: it does not begin with \(Hex.string(entry.prefix))")
      }
      return DecodedRecord(uuid: nil, name: format.label, value: bytes, decoded: format.namedFields)
    }
    let names = profiles.flatMap {
      $0.characteristics.map(\.name) + $0.descriptors.map(\.name) + $0.advertisements.map(\.name)
    }
    throw CommandError(
      status: .notFound,
      message: "cannot find '\(TerminalSafe.escaped(name))': no entry with a layout has this name",
      details: names.isEmpty
        ? [] : ["the names are " + names.map { TerminalSafe.escaped($0) }.joined(separator: ", ")])
  }
}
