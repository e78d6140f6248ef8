// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import Testing

@Suite("Keys and private addresses")
struct KeyTests {
  @Test("A key of 16 or 12 bytes is parsed from hexadecimal digits, and another text is refused")
  func parsing() throws {
    let key = try BindKey(parsing: "231d39c1d7cc1ab1aee224cd096db932")
    #expect(try BindKey(parsing: "23:1D:39:C1:D7:CC:1A:B1:AE:E2:24:CD:09:6D:B9:32") == key)
    #expect(BindKey(bytes: hex("231d39c1d7cc1ab1aee224cd096db932")) == key)
    #expect(try BindKey(parsing: "b853075158487ca39a5b5ea9") != key)
    #expect(BindKey(bytes: []) == nil)
    for (text, reason) in [
      ("", "has 0 bytes instead of 16 or 12"), ("00", "has 1 byte instead of 16 or 12"),
      ("xy", "is not hexadecimal"),
      ("231d39c1d7cc1ab1aee224cd096db93", "has an odd number of hexadecimal digits"),
    ] {
      let error = #expect(throws: SecretKeyError.self) { try BindKey(parsing: text) }
      #expect(error?.reason == reason)
      #expect(error?.description == "the key \(reason)")
    }
    let error = #expect(throws: SecretKeyError.self) { try IdentityKey(parsing: "b853075158487ca39a5b5ea9") }
    #expect(error?.reason == "has 12 bytes instead of 16")
    #expect(IdentityKey(bytes: Array(repeating: UInt8(0), count: 12)) == nil)
  }

  @Test("Neither a key nor an error about its text prints the bytes")
  func secrecy() throws {
    let digits = "231d39c1d7cc1ab1aee224cd096db932"
    let (bind, identity) = (try BindKey(parsing: digits), try IdentityKey(parsing: digits))
    var (dumped, both) = ("", "")
    dump([bind], to: &dumped)
    dump(Optional(identity), to: &dumped)
    both = "\(bind) \(String(reflecting: bind)) \(identity) \(String(reflecting: [identity]))"
    #expect(both == "BindKey(…) BindKey(…) IdentityKey(…) [IdentityKey(…)]")
    // Neither as digits nor as the list of the numbers.
    for secret in ["231d", "231D", "35", "198"] { #expect(!(dumped + both).contains(secret)) }
    let error = #expect(throws: SecretKeyError.self) { try BindKey(parsing: digits + "7") }
    #expect(error.map { String(reflecting: $0).contains("231d") } == false)
  }

  /// The sample data of the Core Specification, Vol 3, Part H, D.7: the key, the prand 708194, and the hash 0dfbaa.
  @Test("A private address is resolved as in the Core Specification's sample data")
  func resolving() throws {
    let key = try IdentityKey(parsing: "ec0234a357c8ad05341010a60a397d9b")
    #expect(try key.resolves(#require(BluetoothAddress("70:81:94:0D:FB:AA"))))
    for other in ["70:81:94:0D:FB:AB", "70:81:95:0D:FB:AA", "71:81:94:0D:FB:AA"] {
      #expect(try !key.resolves(#require(BluetoothAddress(other))))
    }
    let reversed = try #require(IdentityKey(bytes: hex("9b7d390aa610103405adc857a33402ec").reversed()))
    #expect(reversed == key)
    #expect(
      try !IdentityKey(parsing: "9b7d390aa610103405adc857a33402ec").resolves(
        #require(BluetoothAddress("70:81:94:0D:FB:AA"))))
  }

  @Test("The first two bits of a random address tell its kind, and only resolvable ones are resolved")
  func kinds() throws {
    let kinds: [(String, RandomAddressKind)] = [
      ("C0:00:00:00:00:00", .static), ("FF:11:22:33:44:55", .static), ("40:00:00:00:00:00", .resolvable),
      ("7F:FF:FF:FF:FF:FF", .resolvable), ("00:00:00:00:00:01", .nonResolvable),
      ("3F:00:00:00:00:00", .nonResolvable), ("80:00:00:00:00:00", .reserved),
      ("BF:00:00:00:00:00", .reserved),
    ]
    for (text, kind) in kinds { #expect(BluetoothAddress(text)?.randomKind == kind) }
    #expect(RandomAddressKind.nonResolvable.rawValue == "non-resolvable")
    // The prand 308194 is not resolvable, whatever hash stands behind it: ah(k, 308194) is 61a760 here.
    let key = try IdentityKey(parsing: "ec0234a357c8ad05341010a60a397d9b")
    #expect(try !key.resolves(#require(BluetoothAddress("30:81:94:61:A7:60"))))
  }
}
