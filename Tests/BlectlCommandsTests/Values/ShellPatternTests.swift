// SPDX-License-Identifier: MIT
import Testing

@testable import BlectlCommands

@Suite("Shell patterns")
struct ShellPatternTests {
  @Test(
    "A pattern matches the whole text, character by character",
    arguments: [
      ("Caf?", "Café", true), ("Caf?", "Cafe\u{301}", true), ("Caf??", "Café", false),
      ("Caf[é]", "Cafe\u{301}", true), ("?", "👨‍👩‍👧", true), ("??", "🇩🇪🇫🇷", true), ("Größ*", "Größe 7", true),
      ("*", "", true), ("?", "", false), ("", "", true), ("", "x", false), ("MI*", "MI Band 2", true),
      ("*Band*", "MI Band 2", true), ("*Band", "MI Band 2", false), ("a*b*c", "aXbXbXc", true),
      ("a**c", "abc", true), ("mi*", "MI Band 2", false),
    ])
  func characters(pattern: String, text: String, isMatch: Bool) {
    #expect(ShellPattern(pattern).matches(text) == isMatch)
  }

  @Test(
    "Brackets choose a character: from a range, from a class, or from all others",
    arguments: [
      ("[a-c]x", "bx", true), ("[a-c]x", "dx", false), ("[!a-c]x", "dx", true), ("[^a-c]x", "ax", false),
      ("[à-ý]", "é", true), ("[]x]", "]", true), ("[!]x]", "]", false), ("[a-]", "-", true),
      ("[-a]", "-", true), ("[[:digit:]]", "7", true), ("[[:digit:]]", "x", false),
      ("[![:space:]]", " ", false), ("[[:alpha:]_]", "ü", true), ("[c-a]", "b", false),
      ("[\\]]", "]", true), ("[a", "[a", true), ("x[", "x[", true), ("[]", "[]", true),
    ])
  func brackets(pattern: String, text: String, isMatch: Bool) {
    #expect(ShellPattern(pattern).matches(text) == isMatch)
  }

  @Test(
    "A backslash takes the next character as it is",
    arguments: [
      ("\\*", "*", true), ("\\*", "x", false), ("\\?", "?", true), ("\\[a]", "[a]", true), ("\\", "\\", true),
    ])
  func escapes(pattern: String, text: String, isMatch: Bool) {
    #expect(ShellPattern(pattern).matches(text) == isMatch)
  }

  @Test("Many stars do not make the work explode")
  func stars() {
    let pattern = ShellPattern(String(repeating: "*a", count: 30) + "b")
    #expect(!pattern.matches(String(repeating: "a", count: 2000)))
  }

  @Test("A part of a name is characters too: an e is no part of an é that is spelt with two scalars")
  func parts() {
    #expect(NamePattern("afe").rank(of: "Cafe\u{301}") == nil)
    #expect(NamePattern("AFÉ").rank(of: "Cafe\u{301} 7") == .part)
    #expect(NamePattern("Caf?").rank(of: "Café") == .pattern)
  }
}
