// SPDX-License-Identifier: MIT
internal import BLECentral
package import BLEFormats
internal import JSON
internal import TerminalOutput
package import ValueStreams

/// The refusal of a text on the command line: a usage error, found before anything is sent.
package struct ArgumentError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A sentence without a full stop that names the text: `'0xf' has an odd number of hexadecimal digits`.
  package let description: String

  /// `reason` completes a sentence: `is not a UUID`.
  package init(_ text: some StringProtocol, _ reason: String) {
    description = "'\(TerminalSafe.escaped(String(text)))' \(reason)"
  }

  /// The error about an unknown `subject`, such as `transport`; names the nearest of the words, or else all.
  package init(unknown subject: String, _ text: String, words: [String]) {
    let advice = Spelling.advice(for: text, among: words) ?? "use \(words.alternatives)"
    description = "unknown \(subject) '\(TerminalSafe.escaped(text))'; \(advice)"
  }

  package init(_ error: FormatError) {
    self.init(error.text, error.reason)
  }
}

extension [String] {
  /// Joins the words for a sentence: `json, exit-status or formats`.
  package var alternatives: String {
    count < 2 ? first ?? "" : dropLast().joined(separator: ", ") + " or " + self[count - 1]
  }
}

// The identifiers are public types of the library, which does not depend on ArgumentParser. Options therefore
// parse them with `transform: BluetoothUUID.init(parsing:)`, whose errors also explain the problem.

extension BluetoothUUID {
  /// Parses a characteristic, descriptor or service by number or name; errors contain similar names.
  package init(parsing text: some StringProtocol) throws(ArgumentError) {
    let kinds: [AssignedNumber.Kind] = [.characteristic, .descriptor] + AssignedNumbers.serviceKinds
    try self.init(text, kinds: kinds, wanted: nil)
  }

  /// Parses a service by number or name.
  package init(parsingService text: some StringProtocol) throws(ArgumentError) {
    try self.init(text, kinds: AssignedNumbers.serviceKinds, wanted: "service")
  }

  /// Parses a characteristic by number or name.
  package init(parsingCharacteristic text: some StringProtocol) throws(ArgumentError) {
    try self.init(text, kinds: [.characteristic], wanted: "characteristic")
  }

  /// Parses a descriptor by number or name.
  package init(parsingDescriptor text: some StringProtocol) throws(ArgumentError) {
    try self.init(text, kinds: [.descriptor], wanted: "descriptor")
  }

  private init(
    _ text: some StringProtocol, kinds: [AssignedNumber.Kind], wanted: String?
  ) throws(ArgumentError) {
    if let uuid = BluetoothUUID(text) {
      self = uuid
      return
    }
    let vocabulary = Vocabulary.known
    let named = vocabulary.uuids(named: text, kinds: kinds)
    if named.count == 1 {
      self = named[0]
      return
    }
    let several = named.map(\.description)
    if !several.isEmpty {
      let list = several.prefix(8).joined(separator: ", ") + (several.count > 8 ? ", …" : "")
      throw ArgumentError(text, "names several UUIDs; use one of them: \(list)")
    }
    var reason = "is not a UUID or the name of \(wanted.map { "a \($0)" } ?? "one")"
    if let other = vocabulary.kind(named: text) {
      let kind = other.kind.rawValue.replacing("-", with: " ")
      throw ArgumentError(
        text, reason + ", but that of a \(kind): \(other.uuid)" + Self.advice(insteadOf: other.uuid, kinds))
    }
    if let advice = Self.advice(forNearly: text) { throw ArgumentError(text, "\(reason); \(advice)") }
    if let question = Spelling.question(vocabulary.suggestions(for: text, kinds: kinds)) {
      reason += "; \(question)"
    }
    throw ArgumentError(text, reason)
  }
}

extension BluetoothUUID {
  /// Returns the UUID that other programs would print like this, in braces or as a URN; nil if it is none.
  package static func foreign(_ text: some StringProtocol) -> BluetoothUUID? {
    let text = String(text)
    let lowered = text.lowercased()
    guard let (beginning, end) = frames.first(where: { lowered.hasPrefix($0) && lowered.hasSuffix($1) })
    else {
      return nil
    }
    return BluetoothUUID(text.dropFirst(beginning.count).dropLast(end.count))
  }

  /// The texts around a UUID.
  ///
  /// As a list in a loop, two builds of the same source differed.
  private static let frames = [("{", "}"), ("(", ")"), ("<", ">"), ("\"", "\""), ("urn:uuid:", "")]

  /// Advice about a text that is a number, but no UUID; nil if it is more likely a name.
  private static func advice(forNearly text: some StringProtocol) -> String? {
    if let uuid = foreign(text) { return "write it bare: \(uuid)" }
    let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text[...]
    guard digits.contains(where: \.isNumber), digits.utf8.allSatisfy({ HexDigit.value(of: $0) != nil }) else {
      return nil
    }
    return "a UUID has 4, 8 or 32 hexadecimal digits"
  }

  /// The names, of these kinds, that begin with that of a service which was named instead; perhaps empty.
  private static func advice(insteadOf service: BluetoothUUID, _ kinds: [AssignedNumber.Kind]) -> String {
    guard let name = Vocabulary.known.name(ofService: service) else { return "" }
    let names = Vocabulary.known.names(beginning: AssignedNumbers.hyphenated(name), kinds).prefix(3).map(
      \.name)
    return Spelling.question(names).map { "; \($0)" } ?? ""
  }
}

extension BluetoothAddress {
  package init(parsing text: some StringProtocol) throws(ArgumentError) {
    guard let address = BluetoothAddress(text) else {
      throw ArgumentError(text, "is not a Bluetooth address")
    }
    self = address
  }
}

extension UInt16 {
  /// Parses up to four hexadecimal digits, or a name or a part of only one; errors list similar names.
  package init(parsingCompany text: some StringProtocol) throws(ArgumentError) {
    let digits = text.lowercased().hasPrefix("0x") ? String(text.dropFirst(2)) : String(text)
    if digits.count <= 4, let company = UInt16(digits, radix: 16), !digits.hasPrefix("+") {
      self = company
      return
    }
    let found = UUIDLookup(kind: .company).find(String(text))
    let exact = AssignedNumbers.named(text, kinds: [.company])
    let candidates = exact.isEmpty ? found : exact
    guard let first = candidates.first, case .value(let company) = first.number else {
      throw ArgumentError(
        text, "is not a company identifier; write up to four hexadecimal digits, such as 004c, or a name")
    }
    guard candidates.count == 1 else {
      let list = candidates.prefix(5).map { number in
        if case .value(let value) = number.number {
          "\(value.fourDigits) \(number.name)"
        } else {
          number.name
        }
      }
      throw ArgumentError(
        text, "names several companies: \(list.joined(separator: ", "))\(candidates.count > 5 ? ", …" : "")")
    }
    self = company
  }
}

extension CaseIterable where Self: RawRepresentable<String> {
  package static var allWords: [String] { allCases.map(\.rawValue) }

  /// Parses a word for `subject`, such as `transport`; errors contain similar words, or else all.
  package init(word: String, of subject: String) throws(ArgumentError) {
    guard let value = Self(rawValue: word) else {
      throw ArgumentError(unknown: subject, word, words: Self.allWords)
    }
    self = value
  }
}

extension ValueView {
  /// Parses a format, such as `u16`, or a layout, such as `u16 temperature=i16*0.01°C`.
  package init(parsing text: String) throws(ArgumentError) {
    do throws(FormatError) {
      if let format = try? ValueFormat(parsing: text) {
        self.init(format)
      } else {
        self.init(try ValueLayout(compact: text))
      }
    } catch {
      throw ArgumentError(error)
    }
  }
}
