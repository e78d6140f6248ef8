// SPDX-License-Identifier: MIT

/// A shell pattern: `*` matches any characters, `?` one character, `[a-z]` one of a set, `[!a-z]` one outside a set; `\`
/// escapes the next character.
///
/// Unlike fnmatch(3), which counts bytes outside a UTF-8 locale, it matches user-perceived characters: `Caf?` matches
/// `Café`.
package struct ShellPattern: Sendable, Hashable {
  private enum Element: Sendable, Hashable {
    case literal(Character)
    case anyCharacter
    case anyCharacters
    case set(CharacterChoice)

    func matches(_ character: Character) -> Bool {
      switch self {
      case .literal(let literal): character == literal
      case .anyCharacter: true
      case .anyCharacters: false
      case .set(let choice): choice.contains(character)
      }
    }
  }

  private let elements: [Element]

  package init(_ text: String) {
    var elements: [Element] = []
    var rest = Substring(text)
    while let character = rest.popFirst() {
      switch character {
      case "*": if elements.last != .anyCharacters { elements.append(.anyCharacters) }
      case "?": elements.append(.anyCharacter)
      case "[":
        if let choice = CharacterChoice(from: &rest) {
          elements.append(.set(choice))
        } else {
          elements.append(.literal(character))
        }
      case "\\": elements.append(.literal(rest.popFirst() ?? character))
      default: elements.append(.literal(character))
      }
    }
    self.elements = elements
  }

  /// Returns whether the pattern matches a name, with or without the blanks at its end, which a person cannot
  /// see.
  package func matchesName(_ name: String) -> Bool {
    if matches(name) { return true }
    let end = name.lastIndex { !$0.isWhitespace }.map { name.index(after: $0) } ?? name.startIndex
    return end != name.endIndex && matches(String(name[..<end]))
  }

  /// Returns whether the pattern matches a whole text.
  package func matches(_ text: String) -> Bool {
    let characters = Array(text)
    var (element, position) = (0, 0)
    // Where to continue if the part after the last star does not match: the star takes one more character.
    var star: (element: Int, position: Int)?
    while position < characters.count {
      if element < elements.count, elements[element] == .anyCharacters {
        star = (element, position)
        element += 1
      } else if element < elements.count, elements[element].matches(characters[position]) {
        element += 1
        position += 1
      } else if let last = star {
        star = (last.element, last.position + 1)
        (element, position) = (last.element + 1, last.position + 1)
      } else {
        return false
      }
    }
    return elements[element...].allSatisfy { $0 == .anyCharacters }
  }
}

private struct CharacterChoice: Sendable, Hashable {
  private var ranges: [ClosedRange<Character>] = []
  private var classes: [CharacterClass] = []
  private var isNegated = false

  /// Consumes a set after its opening bracket; nil, with nothing consumed, without a closing bracket.
  init?(from rest: inout Substring) {
    var text = rest
    if text.first == "!" || text.first == "^" {
      isNegated = true
      text.removeFirst()
    }
    var isFirst = true
    while let character = text.popFirst() {
      // A closing bracket in the first place is a member of the set.
      if character == "]", !isFirst {
        rest = text
        return
      }
      isFirst = false
      if character == "[", let name = CharacterChoice.takeClass(from: &text) {
        classes.append(name)
        continue
      }
      let lower = CharacterChoice.unescaped(character, &text)
      guard text.first == "-", let next = text.dropFirst().first, next != "]" else {
        ranges.append(lower...lower)
        continue
      }
      text.removeFirst(2)
      let upper = CharacterChoice.unescaped(next, &text)
      if lower <= upper { ranges.append(lower...upper) }
    }
    return nil
  }

  func contains(_ character: Character) -> Bool {
    let isListed =
      ranges.contains { $0.contains(character) } || classes.contains { $0.contains(character) }
    return isListed != isNegated
  }

  private static func unescaped(_ character: Character, _ text: inout Substring) -> Character {
    character == "\\" ? text.popFirst() ?? character : character
  }

  /// Consumes `:digit:]` after a bracket; nil, with nothing consumed, if there is no such class.
  private static func takeClass(from text: inout Substring) -> CharacterClass? {
    for name in CharacterClass.allCases where text.hasPrefix(":\(name.rawValue):]") {
      text.removeFirst(name.rawValue.count + 3)
      return name
    }
    return nil
  }
}

/// A class of characters by its POSIX name, as in `[[:digit:]]`.
private enum CharacterClass: String, CaseIterable {
  case alnum
  case alpha
  case digit
  case lower
  case punct
  case space
  case upper
  case xdigit

  func contains(_ character: Character) -> Bool {
    switch self {
    case .alnum: character.isLetter || character.isNumber
    case .alpha: character.isLetter
    case .digit: ("0"..."9").contains(character)
    case .lower: character.isLowercase
    case .punct: character.isPunctuation || character.isSymbol
    case .space: character.isWhitespace
    case .upper: character.isUppercase
    case .xdigit: character.isHexDigit
    }
  }
}
