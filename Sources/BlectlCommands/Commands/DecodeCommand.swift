// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral

struct DecodeCommand: BlectlCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode",
    abstract: "Tell what the bytes of a characteristic, a descriptor or an advert mean, without Bluetooth.",
    discussion: """
      blectl decode 2a37 104fe803
      blectl decode heart-rate-measurement 104fe803 --json
      blectl decode 2a06 auto:high --json
      blectl decode advert 0201060916d2fc40016402ca09
      echo 2a19 57 | blectl decode --from -

      Numbers stand in the unit that their key or their symbol names. What is reserved, missing or too much is said, and \
      the rest decoded.
      """)

  @Argument(
    help: ArgumentHelp(
      "A UUID, the name of a characteristic or descriptor, or advert.", valueName: "uuid"),
    transform: DecodeSubject.init(parsing:))
  var subject: DecodeSubject?
  @Argument(
    help: "Hex digits, FORMAT:TEXT such as u16:1000 or auto:high, - for stdin, @FILE; several are joined.",
    transform: ValueArgument.init(parsing:))
  var values: [ValueArgument] = []
  @Option(
    help: ArgumentHelp(
      "One VALUE a line, or UUID VALUE where no UUID is given; - is stdin.", valueName: "file"),
    completion: .file())
  var from: String?
  @OptionGroup var common: CommonOptions

  /// More than any advertisement has, and far more than a characteristic.
  private static let longestValue = 65_536

  func validate() throws {
    if from == nil, subject == nil { throw ValidationError("Say which characteristic the value is of.") }
    if values.isEmpty == (from == nil) { throw ValidationError("Give a VALUE, or --from FILE.") }
  }

  func run(in session: Session) async throws {
    guard let from else {
      guard let subject else { return }
      let bytes = try ValueSource.bytes(values, for: subject.uuid, most: DecodeCommand.longestValue)
      return try write([try subject.decode(bytes)], to: session.console)
    }
    var records: [DecodedRecord] = []
    for line in try ValueSource.lines(of: from) {
      let (subject, bytes) = try line.understood { text throws(ArgumentError) in try parse(text) }
      records.append(try subject.decode(bytes))
    }
    try write(records, to: session.console)
  }

  /// What a line of a file says: `VALUE`, or `UUID VALUE`.
  private func parse(_ line: String) throws(ArgumentError) -> (DecodeSubject, [UInt8]) {
    if let subject { return (subject, try ValueSource.typedBytes(line, for: subject.uuid)) }
    guard let space = line.firstIndex(of: " ") else { throw ArgumentError(line, "is not UUID VALUE") }
    let subject = try DecodeSubject(parsing: line[..<space])
    return (subject, try ValueSource.typedBytes(String(line[line.index(after: space)...]), for: subject.uuid))
  }

  private func write(_ records: [DecodedRecord], to console: Console) throws {
    if common.json {
      for record in records { try console.write(record) }
    } else {
      try console.write(lines: records.map { TerminalValue.text(of: $0.decoded) })
    }
  }
}
