// SPDX-License-Identifier: MIT
internal import BLECentral

/// What `uuid` answers.
struct UUIDAnswer {
  let text: String
  /// Nil is every kind.
  var kind: AssignedNumber.Kind?

  /// Writes what is known.
  ///
  /// - Throws: ``CommandError`` when that is nothing.
  func write(to console: Console, isJSON: Bool) throws {
    let found = UUIDLookup(kind: kind).find(text).map { AssignedNumberRecord(number: $0) }
    guard !found.isEmpty else { throw unknown }
    if isJSON {
      for record in found { try console.write(record) }
    } else if console.output.isTerminal {
      try console.write(
        lines: AssignedNumberRecord.table.lines(
          rows: found.map(\.cells), width: console.output.size?.columns, style: console.output.style))
    } else {
      try console.write(lines: found.map { TabSeparated.line($0.cells.map(\.text)) })
    }
  }

  private var unknown: CommandError {
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

extension UUIDAnswer {
  /// Answers `uuid WORD…` without options, and ends the process; returns when the arguments are something else.
  ///
  /// ArgumentParser finds out about commands and options by reflection, which takes three times as long as everything
  /// else that this command does.
  static func finish(plain arguments: [String]) {
    guard arguments.count > 1, arguments[0] == "uuid", arguments.allSatisfy({ !$0.hasPrefix("-") }) else {
      return
    }
    var text = arguments[1]
    for word in arguments.dropFirst(2) { text += " " + word }
    CommandLineTool.finish(Console(color: .auto)) { console in
      try UUIDAnswer(text: text).write(to: console, isJSON: false)
    }
  }
}
