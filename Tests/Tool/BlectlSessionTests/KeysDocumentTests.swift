// SPDX-License-Identifier: MIT
internal import BLECentral
internal import JSON
internal import TestSupport
internal import Testing

@testable import BlectlSession

@Suite("Keys documents")
struct KeysDocumentTests {
  private static let key = "231d39c1d7cc1ab1aee224cd096db932"
  private static let irk = "ec0234a357c8ad05341010a60a397d9b"

  @Test("Keys are read as they were written")
  func bothWays() throws {
    let text = """
      {"comment": "mine", "bind_keys": [{"address": "A4:C1:38:56:53:84", "key": "\(Self.key)"}],
       "identities": [{"name": "Phone", "irk": "\(Self.irk)", "address": "C8:0F:10:01:02:03"},
                      {"name": "Watch", "irk": "\(Self.irk.uppercased())"}]}
      """
    let ring = try KeysDocument.keys(in: Array(text.utf8))
    #expect(ring.bindKeys.count == 1)
    #expect(ring.identities.map(\.name) == ["Phone", "Watch"])
    let written = KeysDocument.text(of: ring)
    #expect(try KeysDocument.keys(in: written) == ring)
    #expect(String(decoding: written, as: UTF8.self).contains(Self.key))
  }

  /// Files with mistakes, and what is said of each.
  static let hostile: [(text: String, error: String)] = [
    ("", "1:1: expected a value, found the end of the text"),
    ("[]", "1:1: expected an object, found an array"),
    ("{\"bind_keys\": {}}", "1:15: /bind_keys: expected an array of objects, found an object"),
    ("{\"bindkeys\": []}", "1:2: expected a key of keys, found another one: did you mean \"bind_keys\"?"),
    (
      "{\"\(key)\": 1}",
      "1:2: expected a key of keys, found another one: the keys are bind_keys, identities, $schema"
    ),
    (
      "{\"\(key)\": 1, \"\(key)\": 2}",
      "1:41: expected each key once, found a text again (first at 1:2)"
    ),
    (
      "{\"bind_keys\": [\"\(key)\"]}", "1:16: /bind_keys/0: expected an object, found a text of 32 characters"
    ),
    (
      "{\"bind_keys\": [{\"address\": \"A4:C1:38:56:53:84\"}]}",
      "1:16: /bind_keys/0: expected the key \"key\", which is missing"
    ),
    (
      "{\"bind_keys\": [{\"address\": \"\(key)\", \"key\": \"\(key)\"}]}",
      "1:28: /bind_keys/0/address: expected an address such as \"C8:0F:10:01:02:03\", found a text of 32 characters"
    ),
    (
      "{\"bind_keys\": [{\"address\": \"A4:C1:38:56:53:84\", \"key\": \"\(key)00\"}]}",
      "1:56: /bind_keys/0/key: expected a key as hexadecimal digits: it has 17 bytes instead of 16 or 12"
    ),
    (
      "{\"bind_keys\": [{\"address\": \"A4:C1:38:56:53:84\", \"key\": \"\(key.dropLast())g\"}]}",
      "1:56: /bind_keys/0/key: expected a key as hexadecimal digits: it is not hexadecimal"
    ),
    (
      "{\"bind_keys\": [{\"address\": \"A4:C1:38:56:53:84\", \"key\": 231939177711422409609932}]}",
      "1:56: /bind_keys/0/key: expected a key as a text of hexadecimal digits, found a number"
    ),
    (
      "{\"bind_keys\": [{\"address\": \"A4:C1:38:56:53:84\", \"key\": \"\(key)\"}, {\"address\": \"a4-c1-38-56-53-84\", \"key\": \"\(key)\"}]}",
      "1:105: /bind_keys/1/address: expected each address once, found A4:C1:38:56:53:84 again"
    ),
    (
      "{\"bind_keys\": [{\"adress\": \"A4:C1:38:56:53:84\", \"key\": \"\(key)\"}]}",
      "1:17: /bind_keys/0: expected a key of a bind key, found another one: did you mean \"address\"?"
    ),
    (
      "{\"identities\": [{\"name\": \"A4:C1:38:56:53:84\", \"irk\": \"\(irk)\"}]}",
      "1:26: /identities/0/name: expected a name of at most 248 bytes that is no address, found a text of 17 characters"
    ),
    (
      "{\"identities\": [{\"name\": \"\", \"irk\": \"\(irk)\"}]}",
      "1:26: /identities/0/name: expected a name of at most 248 bytes that is no address, found a text of 0 characters"
    ),
    (
      "{\"identities\": [{\"name\": \"P\", \"irk\": \"\(irk)\"}, {\"name\": \"P\", \"irk\": \"\(irk)\"}]}",
      "1:84: /identities/1/name: expected each name once, found one again"
    ),
    (
      "{\"identities\": [{\"name\": \"P\", \"irk\": \"\(irk.dropLast(8))\"}]}",
      "1:38: /identities/0/irk: expected a key as hexadecimal digits: it has 12 bytes instead of 16"
    ),
    (
      "{\"identities\": [{\"name\": \"P\", \"irk\": \"\(irk)\", \"address\": null}]}",
      "1:85: /identities/0/address: expected an address such as \"C8:0F:10:01:02:03\", found null"
    ),
    ("{\"identities\": [\"\(irk)\" \"\(irk)\"]}", "1:52: expected \",\" or \"]\", found a quotation mark"),
  ]

  @Test("A mistake is told with its place, and never with a key", arguments: hostile.map(\.text))
  func mistakes(_ text: String) throws {
    let error = try #require(Self.hostile.first { $0.text == text }?.error)
    let thrown = #expect(throws: JSONError.self) { try KeysDocument.keys(in: Array(text.utf8)) }
    #expect(thrown?.description == error)
    let all = ([thrown] + (thrown?.others ?? [])).map { $0?.description ?? "" }.joined()
    #expect(!all.contains(Self.key.prefix(8)))
    #expect(!all.contains(Self.irk.prefix(8)))
  }

  @Test("All mistakes of a file are told")
  func several() {
    let text = "{\"bind_keys\": [{}, 1], \"identities\": true}"
    let error = #expect(throws: JSONError.self) { try KeysDocument.keys(in: Array(text.utf8)) }
    #expect(error?.others.count == 3)
  }
}
