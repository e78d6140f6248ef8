// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession
internal import TerminalOutput
internal import ValueStreams

struct DecodeCommand: OfflineCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode", _superCommandName: Blectl.name,
    abstract: "Decode values and advertisements, without Bluetooth.",
    discussion: """
      blectl decode 2a37 104fe803
      blectl decode heart-rate-measurement 104fe803 --json
      blectl decode fcd2 40016402ca09
      blectl decode advert 0201060916d2fc40016402ca09
      blectl decode --as 'speed=u16*0.1 temp=i16*0.01°C' e803 6608
      echo 2a19 57 | blectl decode --from -

      The number of a service or of a company stands for its data in an advertisement. Some sensors are only recognized by \
      their name: decode the whole advertisement. docs/adverts.md lists the formats. Encrypted data needs --address, and a key.

      The key or the symbol of a number names its unit. Reserved, missing and extra bytes are reported, and the rest is \
      decoded.
      """)

  @Argument(
    help: ArgumentHelp(
      "A UUID, the name of a characteristic or descriptor, the number of a company, or advert.",
      valueName: "uuid"))
  var word: String?
  @Argument(
    help:
      "Hex digits, FORMAT:TEXT such as u16:1000 or auto:high, - for stdin, or @FILE; several are joined. xor8, crc16-modbus and others are checksums.",
    transform: ValueArgument.init(parsing:))
  var values: [ValueArgument] = []
  @Option(
    name: .customLong("as"),
    help: ArgumentHelp(
      "The meaning of the value, in place of a UUID: u16, utf8, … or a layout, such as 'speed=u16*0.1 i16'.",
      valueName: "format"),
    completion: LiveCompletion.format, transform: ValueView.init(parsing:))
  var view: ValueView?
  @Option(
    help: ArgumentHelp(
      "One VALUE per line, or UUID VALUE if no UUID is given; - is stdin.", valueName: "file"),
    completion: .file())
  var from: String?
  @Option(
    help: ArgumentHelp(
      "The address of the sensor that sent the data, to decrypt it with its key: blectl help keys.",
      valueName: "address"), transform: BluetoothAddress.init(parsing:))
  var address: BluetoothAddress?
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  /// Longer than any advertisement, and far longer than a characteristic.
  private static let longestValue = 65_536
  /// Of a file: longer than the digits of the longest value, with a blank behind each.
  private static let longestLine = 262_144

  func validate() throws {
    try refuseOptionsOfBluetooth()
    if let view {
      if view.format == .auto, !view.isLayout {
        throw ValidationError("--as auto: the standard meaning needs a UUID, without --as")
      }
      if (word == nil) == (from == nil) { throw ValidationError("give either VALUE or --from FILE") }
      _ = try viewed
      return
    }
    if from == nil, word == nil { throw ValidationError("missing UUID of the value") }
    _ = try subject
    if values.isEmpty == (from == nil) { throw ValidationError("give either VALUE or --from FILE") }
  }

  /// The meaning of the bytes; nil if the lines of a file name it.
  private var subject: DecodeSubject? {
    get throws {
      guard let word else { return nil }
      do throws(ArgumentError) {
        return try DecodeSubject(parsing: word)
      } catch {
        guard (try? ValueView(parsing: word)) != nil else { throw ValidationError("\(error)") }
        throw ValidationError("'\(word)' is a format or a layout, which stands behind --as")
      }
    }
  }

  /// All words, which are the value: with `--as`, none is a UUID.
  private var viewed: [ValueArgument] {
    get throws {
      guard let word else { return [] }
      do throws(ArgumentError) {
        return [try ValueArgument(parsing: word)] + values
      } catch {
        throw ValidationError("\(error)")
      }
    }
  }

  func run(in context: CommandContext) async throws {
    if let view { return try run(as: view, in: context) }
    let subject = try subject
    guard let from else {
      guard let subject else { return }
      let bytes = try ValueSource.bytes(values, for: subject.attribute, most: DecodeCommand.longestValue)
      return try write([try subject.decode(bytes, with: decryption(in: context))], to: context.console)
    }
    let decryption = decryption(in: context)
    try ValueSource.eachLine(of: from, atMost: DecodeCommand.longestLine) { line in
      let (subject, bytes) = try line.parsed { text throws(ArgumentError) in try parse(text, subject) }
      try write([try subject.decode(bytes, with: decryption)], to: context.console)
    }
  }

  private func run(as view: ValueView, in context: CommandContext) throws {
    guard let from else {
      let bytes = try ValueSource.bytes(viewed, for: nil, most: DecodeCommand.longestValue)
      return try write(bytes, as: view, to: context.console)
    }
    try ValueSource.eachLine(of: from, atMost: DecodeCommand.longestLine) { line in
      let bytes = try line.parsed { text throws(ArgumentError) in
        try ValueSource.typedBytes(text, for: nil)
      }
      try write(bytes, as: view, to: context.console)
    }
  }

  private func write(_ bytes: [UInt8], as view: ValueView, to console: Console) throws {
    if !view.isLayout, let problem = view.format.problem(with: bytes) {
      throw CommandError(
        status: .failed, message: "cannot show the value as \(view.format.word): \(problem)")
    }
    let decoded = view.meaning(insteadOf: nil)?.decode(bytes)
    if !common.json, !view.isLayout {
      return try console.write(line: TerminalSafe.escaped(view.format.text(of: bytes)))
    }
    let record = DecodedRecord(uuid: nil, name: "Value", value: bytes, decoded: decoded ?? DecodedFields())
    try write([record], to: console)
  }

  private func decryption(in context: CommandContext) -> Decryption {
    Decryption(address: address, keys: context.keys)
  }

  /// Parses a line of a file: `VALUE`, or `UUID VALUE`.
  private func parse(
    _ line: String, _ subject: DecodeSubject?
  ) throws(ArgumentError) -> (DecodeSubject, [UInt8]) {
    if let subject { return (subject, try ValueSource.typedBytes(line, for: subject.attribute)) }
    let words = line.split(maxSplits: 1, whereSeparator: { $0 == " " || $0 == "\t" })
    guard words.count == 2 else { throw ArgumentError(line, "is not of the form UUID VALUE") }
    let subject = try DecodeSubject(parsing: words[0])
    let value = words[1].drop { $0 == " " || $0 == "\t" }
    return (subject, try ValueSource.typedBytes(String(value), for: subject.attribute))
  }

  private func write(_ records: [DecodedRecord], to console: Console) throws {
    if common.json {
      for record in records { try console.write(record) }
    } else {
      try console.write(
        lines: records.map { record in
          let text = TerminalValue.text(of: record.decoded)
          return record.type == nil ? text : text.isEmpty ? record.name : "\(record.name) \(text)"
        })
    }
  }
}

/// Decrypts data of advertisements.
private struct Decryption {
  /// The sensor that sent the data; nil leaves the data encrypted.
  let address: BluetoothAddress?
  let keys: KeyStore

  /// The sensor, as far as it is known; a profile may know some devices only.
  func subject(named name: String? = nil) -> ProfileSubject {
    ProfileSubject(address: address, name: name)
  }

  func open(
    _ format: any AdvertisedFormat, _ data: AdvertisedData
  ) throws(CommandError) -> any AdvertisedFormat {
    guard let address, format.needsKey else { return format }
    do throws(DecryptionError) {
      return try AdvertisedFormats.decode(data, from: address, key: keys.bindKey(of: address))?.format
        ?? format
    } catch {
      throw CommandError(
        status: error == .keyMissing ? .notFound : .failed,
        message: "cannot decrypt the data of \(address): \(error)",
        hint: [.keyMissing, .wrongKey].contains(error) ? "blectl keys add \(address)" : nil)
    }
  }
}

extension DecodeSubject {
  /// Decodes some bytes; throws when the meaning of such values is unknown.
  fileprivate func decode(
    _ bytes: [UInt8], with decryption: Decryption
  ) throws(CommandError) -> DecodedRecord {
    guard let attribute else {
      let advertisement = RawAdvertisement(bytes)
      let context = advertisement.context
      let subject = decryption.subject(named: context.localName)
      let decoded = try advertisement.fields { data throws(CommandError) in
        try Vocabulary.known.profiles.decode(data, in: context, of: subject).map {
          format throws(CommandError) in
          try decryption.open(format, data)
        }
      }
      return DecodedRecord(uuid: nil, name: "Advertisement", value: bytes, decoded: decoded)
    }
    let (uuid, vocabulary) = (attribute.uuid, Vocabulary.known)
    var descriptor = attribute
    descriptor.isDescriptor = true
    if let layout = vocabulary.layout(of: attribute) ?? vocabulary.layout(of: descriptor) {
      let name = vocabulary.name(of: attribute) ?? vocabulary.name(of: descriptor) ?? layout.name
      return DecodedRecord(uuid: uuid, name: name, value: bytes, decoded: layout.decode(bytes))
    }
    let (profiles, subject) = (vocabulary.profiles, decryption.subject())
    if let format = profiles.decode(.service(uuid, bytes), of: subject) {
      let format = try decryption.open(format, .service(uuid, bytes))
      return DecodedRecord(uuid: uuid, format: format, value: bytes)
    }
    let company = uuid.shortForm.flatMap { UInt16(exactly: $0) }
    guard let company, let format = profiles.decode(.manufacturer(company, bytes), of: subject) else {
      let name = vocabulary.name(of: attribute) ?? vocabulary.name(of: descriptor)
      throw CommandError(
        status: .notFound,
        message:
          "cannot decode \(uuid)\(name.map { " (\($0))" } ?? ""): the meaning of its values is unknown",
        hint: "blectl help values")
    }
    return DecodedRecord(
      company: company, format: try decryption.open(format, .manufacturer(company, bytes)), value: bytes)
  }
}
