// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral

struct UUIDCommand: BlectlCommand {
  static let configuration = CommandConfiguration(
    commandName: "uuid",
    abstract: "Tell which number a name is, or what a number stands for, without Bluetooth.",
    discussion: """
      blectl uuid heart-rate
      blectl uuid 2a37
      blectl uuid --kind company 004c

      A number is a UUID of 16, 32 or 128 bits, a company identifier or an appearance value. A name may be a part of one: \
      those that are just that come first.
      """)

  @Argument(help: "A number, a name, or a part of a name; several words are one name.")
  var text: [String]
  @Option(
    help: ArgumentHelp("Only this kind of number: service, characteristic, company, …", valueName: "kind"),
    transform: UUIDCommand.kind(parsing:))
  var kind: AssignedNumber.Kind?
  @OptionGroup var common: CommonOptions

  private static func kind(parsing text: String) throws -> AssignedNumber.Kind {
    if let kind = AssignedNumber.Kind(rawValue: text.replacing("-", with: "_")) { return kind }
    let kinds = AssignedNumber.Kind.allCases.map(\.rawValue).joined(separator: ", ")
    throw ArgumentError(text, "is not a kind; there are: \(kinds)")
  }

  func run(in session: Session) async throws {
    let text = text.joined(separator: " ")
    let found = UUIDLookup(kind: kind).find(text)
    guard !found.isEmpty else { throw unknown(text) }
    let console = session.console
    if common.json {
      for number in found { try console.write(AssignedNumberRecord(number: number)) }
    } else if console.output.isTerminal {
      try console.write(
        lines: AssignedNumberRecord.table.lines(
          rows: found.map { AssignedNumberRecord(number: $0).cells }, width: console.output.size?.columns,
          style: console.output.style))
    } else {
      try console.write(
        lines: found.map { TabSeparated.line(AssignedNumberRecord(number: $0).cells.map(\.text)) })
    }
  }

  private func unknown(_ text: String) -> CommandError {
    if kind?.isUUID ?? true, let uuid = BluetoothUUID(text) {
      return CommandError(
        status: .notFound, message: "cannot find a name for \(uuid): \(UUIDLookup.form(of: uuid))",
        details: uuid.shortForm == nil ? [] : ["in full: \(uuid.longForm)"])
    }
    let similar = AssignedNumbers.suggestions(
      for: text, kinds: kind.map { [$0] } ?? AssignedNumber.Kind.allCases)
    return CommandError(
      status: .notFound,
      message: "cannot find '\(TerminalSafe.escaped(text))': neither a number nor a part of a name",
      hint: similar.isEmpty ? nil : "blectl uuid \(similar[0])")
  }
}
