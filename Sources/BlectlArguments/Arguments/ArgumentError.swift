// SPDX-License-Identifier: MIT
internal import BLECentral
package import BLEMeaning
internal import TerminalOutput

/// Why a text on the command line is refused: a usage error, found before anything is sent.
package struct ArgumentError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A sentence without a full stop that names the text: `'0xf' has an odd number of hexadecimal digits`.
  package let description: String

  /// The error about a text.
  ///
  /// - Parameters:
  ///   - text: what was typed.
  ///   - reason: what is wrong with it, as the rest of a sentence: `is not a UUID`.
  package init(_ text: some StringProtocol, _ reason: String) {
    description = "'\(TerminalSafe.escaped(String(text)))' \(reason)"
  }

  /// The error about a text that is none of some words.
  ///
  /// - Parameters:
  ///   - subject: what the text should name: `transport`.
  ///   - text: what was typed.
  ///   - words: the possible words; the message contains the nearest ones, or else all.
  package init(unknown subject: String, _ text: String, words: [String]) {
    let advice = Spelling.advice(for: text, among: words) ?? "use \(words.alternatives)"
    description = "unknown \(subject) '\(TerminalSafe.escaped(text))'; \(advice)"
  }

  /// The same error, for a text on the command line.
  package init(_ error: FormatError) {
    self.init(error.text, error.reason)
  }
}

extension [String] {
  /// The words as a sentence lists them: `json, exit-status or formats`.
  package var alternatives: String {
    count < 2 ? first ?? "" : dropLast().joined(separator: ", ") + " or " + self[count - 1]
  }
}

// The identifiers are public types of the library, which does not depend on ArgumentParser. So options parse them with
// `transform: BluetoothUUID.init(parsing:)`, whose errors also explain what is wrong.

extension BluetoothUUID {
  /// The UUID of a characteristic, a descriptor or a service, from a number or a name on the command line.
  ///
  /// - Throws: an error that contains the text and similar names.
  package init(parsing text: some StringProtocol) throws(ArgumentError) {
    let kinds: [AssignedNumber.Kind] = [.characteristic, .descriptor] + AssignedNumbers.serviceKinds
    try self.init(text, kinds: kinds, wanted: nil)
  }

  /// The UUID of a service, from a number or a name on the command line.
  ///
  /// - Throws: an error that contains the text and similar names.
  package init(parsingService text: some StringProtocol) throws(ArgumentError) {
    try self.init(text, kinds: AssignedNumbers.serviceKinds, wanted: "service")
  }

  /// The UUID of a characteristic, from a number or a name on the command line.
  ///
  /// - Throws: an error that contains the text and similar names.
  package init(parsingCharacteristic text: some StringProtocol) throws(ArgumentError) {
    try self.init(text, kinds: [.characteristic], wanted: "characteristic")
  }

  /// The UUID of a descriptor, from a number or a name on the command line.
  ///
  /// - Throws: an error that contains the text and similar names.
  package init(parsingDescriptor text: some StringProtocol) throws(ArgumentError) {
    try self.init(text, kinds: [.descriptor], wanted: "descriptor")
  }

  private init(
    _ text: some StringProtocol, kinds: [AssignedNumber.Kind], wanted: String?
  ) throws(ArgumentError) {
    if let uuid = BluetoothUUID(text) ?? BluetoothUUID(name: text, kinds: kinds) {
      self = uuid
      return
    }
    let several = AssignedNumbers.named(text, kinds: kinds).compactMap { $0.uuid?.description }
    if !several.isEmpty {
      let list = several.prefix(8).joined(separator: ", ") + (several.count > 8 ? ", …" : "")
      throw ArgumentError(text, "names several UUIDs; use one of them: \(list)")
    }
    var reason = "is not a UUID or the name of \(wanted.map { "a \($0)" } ?? "one")"
    if let other = AssignedNumbers.named(text).first(where: { $0.uuid != nil }) {
      let kind = other.kind.rawValue.replacing("-", with: " ")
      throw ArgumentError(text, reason + ", but that of a \(kind): \(other.uuid?.description ?? "")")
    }
    let similar = AssignedNumbers.suggestions(for: text, kinds: kinds)
    if !similar.isEmpty { reason += "; did you mean \(similar.joined(separator: ", or "))?" }
    throw ArgumentError(text, reason)
  }
}

extension BluetoothAddress {
  /// The address that a text on the command line spells.
  ///
  /// - Throws: an error that contains the text, if it is not six pairs of hexadecimal digits.
  package init(parsing text: some StringProtocol) throws(ArgumentError) {
    guard let address = BluetoothAddress(text) else {
      throw ArgumentError(text, "is not a Bluetooth address")
    }
    self = address
  }
}

extension UInt16 {
  /// A company identifier: up to four hexadecimal digits, the name of a company, or a part of only one name.
  ///
  /// - Throws: an error that contains the text, and the companies that it may mean.
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
  /// The words for all cases.
  package static var allWords: [String] { allCases.map(\.rawValue) }

  /// The case that a word on the command line names.
  ///
  /// - Parameters:
  ///   - word: what was typed.
  ///   - subject: what it should name: `transport`.
  /// - Throws: an error that contains the word, and similar words or all of them.
  package init(word: String, of subject: String) throws(ArgumentError) {
    guard let value = Self(rawValue: word) else {
      throw ArgumentError(unknown: subject, word, words: Self.allWords)
    }
    self = value
  }
}

extension ValueFormat {
  /// The format that a word on the command line names.
  ///
  /// - Throws: an error that lists the possible words.
  package init(typed word: String) throws(ArgumentError) {
    do throws(FormatError) { try self.init(parsing: word) } catch { throw ArgumentError(error) }
  }
}
