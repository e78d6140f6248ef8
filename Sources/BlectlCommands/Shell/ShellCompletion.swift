// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEMeaning
internal import BlectlArguments

/// What Tab offers in the shell.
struct ShellCompletion {
  private let tool: ShellTool
  private let characteristics: [GATTCharacteristic]

  init(_ tool: ShellTool, _ connection: ShellConnection?) {
    self.init(tool, connection?.characteristics ?? [])
  }

  init(_ tool: ShellTool, _ characteristics: [GATTCharacteristic]) {
    self.tool = tool
    self.characteristics = characteristics
  }

  /// The candidates for the last word of a line.
  ///
  /// - Parameters:
  ///   - line: the line.
  ///   - start: where its last word starts, in bytes.
  /// - Returns: candidates, also those that do not begin as the word does.
  func candidates(_ line: String, _ start: Int) -> [String] {
    let before = String(decoding: line.utf8.prefix(start), as: UTF8.self).split(separator: " ").map(
      String.init)
    let word = String(decoding: line.utf8.dropFirst(start), as: UTF8.self)
    guard let command = before.first else { return tool.words.sorted() }
    if command == "help" { return tool.words.sorted() }
    if word.hasPrefix("-") { return tool.options(of: command).sorted() }
    if before.last == "--as" || before.first == "expect" && before.count == 2 {
      return ValueFormat.words + (before.last == "--as" ? [] : fields(before[1]))
    }
    return tool.vocabulary.declaration(of: command) == nil ? [] : names
  }

  /// The characteristics by name, by UUID and by handle.
  private var names: [String] {
    characteristics.flatMap { characteristic in
      let name = AssignedNumbers.name(ofCharacteristic: characteristic.uuid).map {
        AssignedNumbers.hyphenated($0)
      }
      return [name, "\(characteristic.uuid)", "@\(characteristic.handle.fourDigits)"].compactMap(\.self)
    }
  }

  private func fields(_ characteristic: String) -> [String] {
    let argument = try? CharacteristicArgument(parsing: characteristic)
    return argument?.writtenUUID.flatMap { ValueLayout(for: $0)?.shownKeys } ?? []
  }
}
