// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession
internal import TerminalOutput
internal import ValueStreams

struct UUIDCommand: OfflineCommand {
  static let configuration = CommandConfiguration(
    commandName: "uuid", _superCommandName: Blectl.name,
    abstract: "Look up assigned numbers by number or name.",
    discussion: """
      blectl uuid heart-rate
      blectl uuid 2a37
      blectl uuid --kind company 004c

      A number is a UUID of 16, 32 or 128 bits, a company identifier or an appearance value. Part of a name is enough; \
      exact matches come first.
      """)

  @Argument(
    help: "A number, a name, or part of a name; several words form one name.",
    completion: LiveCompletion.name)
  var text: [String]
  @Option(
    help: ArgumentHelp("Only this kind of number: service, characteristic, company, …", valueName: "kind"),
    transform: { try AssignedNumber.Kind(word: $0.replacing("_", with: "-"), of: "kind") })
  var kind: AssignedNumber.Kind?
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  func validate() throws { try refuseOptionsOfBluetooth() }

  func run(in context: CommandContext) async throws {
    let console = context.console
    let text = text.joined(separator: " ")
    let found = UUIDLookup(kind: kind).find(text).map { AssignedNumberRecord(number: $0) }
    guard !found.isEmpty else { throw notFound(text) }
    if common.json {
      for record in found { try console.write(record) }
    } else if console.output.isTerminal {
      try console.write(
        lines: AssignedNumberRecord.table.lines(
          rows: found.map(\.cells), width: console.output.size?.columns, style: console.output.style))
    } else {
      try console.write(lines: found.map { TabSeparated.line($0.cells.map(\.text)) })
    }
  }

  private func notFound(_ text: String) -> CommandError {
    if kind?.isUUID ?? true, let uuid = BluetoothUUID(text) {
      return CommandError(
        status: .notFound, message: "cannot find a name for \(uuid): \(UUIDLookup.form(of: uuid))",
        details: uuid.shortForm == nil ? [] : ["in full: \(uuid.longForm)"])
    }
    if let uuid = BluetoothUUID.foreign(text) {
      return CommandError(
        status: .notFound,
        message:
          "cannot find '\(TerminalSafe.escaped(text))': a UUID is written without braces or other marks",
        hint: "blectl uuid \(uuid)")
    }
    let kinds = kind.map { [$0] } ?? AssignedNumber.Kind.allCases
    return CommandError(
      status: .notFound,
      message: "cannot find '\(TerminalSafe.escaped(text))': no such number or name",
      hint: AssignedNumbers.suggestions(for: text, kinds: kinds).first.map { "blectl uuid \($0)" })
  }
}
