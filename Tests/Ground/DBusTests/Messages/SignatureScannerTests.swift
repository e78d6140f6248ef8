// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import DBus

@Suite("SignatureScanner")
struct SignatureScannerTests {
  /// The complete types of a signature; nil behind the last one when it ends too early.
  private func split(_ signature: String) -> [String?] {
    var letters = signature
    return letters.withUTF8 { utf8 in
      let raw = UnsafeRawBufferPointer(utf8)
      var index = 0
      var found: [String?] = []
      while index < raw.count, found.last != .some(nil) {
        found.append(SignatureScanner.takeOne(raw, &index))
      }
      return found
    }
  }

  @Test(
    "A signature is cut into its complete types",
    arguments: [
      ("", []), ("y", ["y"]), ("sa{sv}as", ["s", "a{sv}", "as"]), ("oa{sa{sv}}", ["o", "a{sa{sv}}"]),
      ("a(i(ss))v", ["a(i(ss))", "v"]), ("aaay", ["aaay"]), ("(y)(y)", ["(y)", "(y)"]),
    ])
  func complete(signature: String, types: [String]) { #expect(split(signature) == types) }

  @Test(
    "A signature that ends within a type gives none",
    arguments: ["a", "aa", "(", "(i", "a{s", "a{s(i}", "i(("])
  func incomplete(signature: String) { #expect(split(signature).last == .some(nil)) }

  @Test("Any types are found again in the signature that they make together")
  func arbitraryTypes() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<500 {
      let types = (0..<Int.random(in: 0...5, using: &random)).map { _ in
        ArbitraryType(depth: 4, using: &random).signature
      }
      #expect(split(types.joined()) == types)
    }
  }
}
