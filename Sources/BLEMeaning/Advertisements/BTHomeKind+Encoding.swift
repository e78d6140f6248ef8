// SPDX-License-Identifier: MIT

/// Encoding: the inverse of ``BTHomeKind/value(_:)``.
extension BTHomeKind {
  /// The longest argument of a command: its length has five bits.
  private static let longestArgument = 0x1f

  /// Whether values are numbers.
  var isNumeric: Bool {
    if case .number = shape { true } else { false }
  }

  /// The bytes of a value.
  ///
  /// - Parameter text: the value as decoding shows it, without the unit: `21.5`, `yes`, `double press`. Numbers are
  ///   rounded.
  /// - Returns: the bytes behind the number of the kind.
  /// - Throws: if the text is invalid, or out of range.
  func bytes(of text: String) throws(FormatError) -> [UInt8] {
    switch shape {
    case .number(let shape): return shape.width.encode(try shape.raw(of: text))
    case .state: return [try Self.isTrue(text) ? 1 : 0]
    case .event(let names): return [try Self.number(of: text, names: names, otherwise: "event")]
    case .dimmer: return try Self.dimmer(text)
    case .command: return try Self.command(text)
    case .text: return try Self.counted(Array(text.utf8), text)
    case .raw: return try Self.counted(try HexValue.bytes(text), text)
    case .version(let count): return try Self.version(text, count)
    }
  }

  static func isTrue(_ text: String) throws(FormatError) -> Bool {
    switch text.lowercased() {
    case "yes", "true", "on", "1": return true
    case "no", "false", "off", "0": return false
    default: throw FormatError(text, "is neither yes nor no")
    }
  }

  /// The number of a word: a name, or the word for one without a name and the number, as in `event 119`.
  private static func number(
    of text: String, names: [Int: String], otherwise word: String
  ) throws(FormatError) -> UInt8 {
    let wanted = Choice.plain(text)
    if let number = names.first(where: { Choice.plain($0.value) == wanted })?.key { return UInt8(number) }
    let parts = text.split(separator: " ")
    if parts.count == 2, parts[0] == word, let number = UInt8(parts[1]) { return number }
    let words = names.sorted { $0.key < $1.key }.map(\.value)
    throw FormatError(text, "is none of: \(words.joined(separator: ", "))")
  }

  private static func dimmer(_ text: String) throws(FormatError) -> [UInt8] {
    if let steps = Int(text) {
      guard let count = UInt8(exactly: steps.magnitude) else {
        throw FormatError(text, "is out of range: -255 to 255")
      }
      return [steps < 0 ? 1 : 2, count]
    }
    do throws(FormatError) {
      return [try number(of: text, names: [0: "none"], otherwise: "event"), 0]
    } catch {
      throw FormatError(text, "is neither a number of steps nor none")
    }
  }

  private static func command(_ text: String) throws(FormatError) -> [UInt8] {
    // What follows the last space is the argument, unless it is part of the name: `step up 02`.
    if let number = try? number(of: text, names: commands, otherwise: "command") { return [0, number] }
    guard let space = text.lastIndex(of: " "), let argument = Hex.bytes(text[text.index(after: space)...])
    else { return [0, try number(of: text, names: commands, otherwise: "command")] }
    guard argument.count <= longestArgument else {
      throw FormatError(text, "has an argument of \(argument.count) bytes; \(longestArgument) fit")
    }
    let number = try number(of: String(text[..<space]), names: commands, otherwise: "command")
    return [UInt8(argument.count), number] + argument
  }

  private static func counted(_ bytes: [UInt8], _ text: String) throws(FormatError) -> [UInt8] {
    guard let count = UInt8(exactly: bytes.count) else {
      throw FormatError(text, "has \(bytes.count) bytes; 255 fit")
    }
    return [count] + bytes
  }

  private static func version(_ text: String, _ count: Int) throws(FormatError) -> [UInt8] {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { UInt8($0) }
    guard parts.count == count, numbers.count == count else {
      throw FormatError(text, "is not \(count) numbers up to 255 with points between them")
    }
    return numbers.reversed()
  }
}
