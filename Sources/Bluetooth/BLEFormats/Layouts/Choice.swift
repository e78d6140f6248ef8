// SPDX-License-Identifier: MIT

/// The states that a number represents.
struct Choice: Sendable {
  /// The meaning of a number: a name, true or false, or nothing.
  enum State: Sendable, Hashable, ExpressibleByStringLiteral {
    case name(String)
    case isTrue(Bool)
    /// The field is not shown.
    case absent
    /// Reserved for future use.
    case reserved

    init(stringLiteral value: String) { self = .name(value) }
  }

  /// The states of 0, 1, 2 and so on.
  private var first: [State]
  private var others: [Int: State] = [:]
  /// The word before a number without a name.
  private(set) var unnamed = "reserved"

  /// Creates the names of 0, 1, 2 and so on; `.reserved` skips one.
  init(_ first: State...) { self.first = first }

  init(_ first: [State], others: [Int: State]) {
    self.first = first
    self.others = others
  }

  /// Creates the names of numbers in a layout of one's own, where the other numbers are not reserved.
  init(own names: [Int: String]) {
    self.init([], others: names.mapValues { .name($0) })
    unnamed = "unknown"
  }

  static let yesOrNo = Choice(.isTrue(false), .isTrue(true))

  private func state(of number: Int) -> State {
    first.indices.contains(number) ? first[number] : others[number] ?? .reserved
  }

  /// True if its states are true and false, so that other numbers have no value: a word would be of another
  /// type.
  private var isTruth: Bool {
    (first + others.values).contains { if case .isTrue = $0 { true } else { false } }
      && !(first + others.values).contains { if case .name = $0 { true } else { false } }
  }

  func value(of number: Int) -> DecodedValue? {
    switch state(of: number) {
    case .name(let name): .text(name)
    case .isTrue(let isTrue): .bool(isTrue)
    case .absent: nil
    case .reserved: isTruth ? nil : .text("\(unnamed) \(number)")
    }
  }

  /// Adds the problem of a number that is neither true nor false.
  func addProblem(of number: Int, for key: String, to decoded: inout DecodedFields) {
    guard state(of: number) == .reserved, isTruth else { return }
    decoded.problems.append("\(key) \(number) is neither yes nor no")
  }

  /// The numbers with a meaning, in order.
  var numbers: [Int] { first.indices.filter { first[$0] != .reserved } + others.keys.sorted() }

  var words: [String] { numbers.compactMap { value(of: $0)?.text } }

  /// Parses a name in any case, with `-`, `_` or spaces; a number; `reserved 7` or `unknown 7`.
  ///
  /// - Throws: if it is none of these, or a number that is neither true nor false.
  func number(of text: String) throws(FormatError) -> Int {
    let number = try anyNumber(of: text)
    guard isTruth, state(of: number) == .reserved else { return number }
    throw noneOfThem(text)
  }

  private func noneOfThem(_ text: String) -> FormatError {
    FormatError(text, "is none of: " + words.joined(separator: ", "))
  }

  private func anyNumber(of text: String) throws(FormatError) -> Int {
    let wanted = Self.plain(text)
    if let number = numbers.first(where: { value(of: $0).map { Self.plain($0.text) } == wanted }) {
      return number
    }
    // A sign counts after a blank; elsewhere, a hyphen only separates words.
    let lowered = text.lowercased()
    let signed = lowered.hasPrefix(unnamed + " ") ? lowered.dropFirst(unnamed.count + 1) : lowered[...]
    if let number = Int(signed) { return number }
    let digits = wanted.hasPrefix(unnamed) ? wanted.dropFirst(unnamed.count) : wanted[...]
    if let number = Int(digits), number >= 0 { return number }
    switch wanted {
    case "true": return try anyNumber(of: "yes")
    case "false": return try anyNumber(of: "no")
    default: throw noneOfThem(text)
    }
  }

  /// Returns the text in lower case, without word separators.
  static func plain(_ text: String) -> String { text.lowercased().filter { !" -_".contains($0) } }
}
