// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEFormats
internal import BlectlArguments
internal import ValueStreams

/// The completions that Tab offers in the shell.
struct ShellCompletion {
  private let grammar: any ScriptGrammar
  private let characteristics: [GATTCharacteristic]

  /// Nil without a link.
  private let device: ProfileSubject?

  init(_ grammar: any ScriptGrammar, _ characteristics: [GATTCharacteristic], of device: ProfileSubject?) {
    (self.grammar, self.characteristics, self.device) = (grammar, characteristics, device)
  }

  /// The candidates for the last word of a line, which starts at an offset in bytes.
  ///
  /// The caller drops those that do not begin with the word.
  func candidates(_ line: String, _ start: Int) -> [String] {
    let before = String(decoding: line.utf8.prefix(start), as: UTF8.self).split(separator: " ").map(
      String.init)
    let word = String(decoding: line.utf8.dropFirst(start), as: UTF8.self)
    guard let command = before.first, command != "help" else {
      return (grammar.stepWords + ScriptParser.keywords + grammar.otherWords + Shell.ownWords).sorted()
    }
    if word.hasPrefix("-") { return grammar.options(of: command).sorted() }
    if before.last == "--as" || before.first == "expect" && before.count == 2 {
      return ValueFormat.words + (before.last == "--as" ? [] : fields(before[1]))
    }
    return grammar.stepWords.contains(command) ? names : []
  }

  /// All ways to write the characteristics.
  private var names: [String] {
    characteristics.flatMap { characteristic in
      let identity = AttributeIdentity(characteristic, of: device ?? ProfileSubject())
      let name = Vocabulary.known.name(of: identity).map { AssignedNumbers.hyphenated($0) }
      return [name, "\(characteristic.uuid)", "@\(characteristic.handle.fourDigits)"].compactMap(\.self)
    }
  }

  private func fields(_ characteristic: String) -> [String] {
    let argument = try? CharacteristicArgument(parsing: characteristic)
    return argument?.identity(of: device).flatMap { Vocabulary.known.layout(of: $0)?.shownKeys } ?? []
  }
}
