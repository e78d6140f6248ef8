// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BlectlArguments
internal import Glibc
internal import TestSupport
internal import Testing

@testable import BlectlSession

@Suite("Import of keys")
struct KeyImportTests {
  private static let irk = "ec0234a357c8ad05341010a60a397d9b"
  private static let key = "231d39c1d7cc1ab1aee224cd096db932"

  /// A file of bluetoothd, which stores the key in the other byte order.
  private static let info = """
    [General]
    Name=Someone's phone
    AddressType=static
    Alias=My phone

    [IdentityResolvingKey]
    Key=9B7D390AA610103405ADC857A33402EC

    [LongTermKey]
    Key=00112233445566778899AABBCCDDEEFF
    """

  private static func address(_ text: String) throws -> BluetoothAddress {
    try #require(BluetoothAddress(text))
  }

  @Test(
    "The identity in a file of bluetoothd has the name that a user gave it, and the key in its usual order")
  func file() throws {
    let address = try Self.address("C8:0F:10:01:02:03")
    let identity = BlueZStorage.identity(in: Self.info, at: address)
    #expect(
      identity
        == KeyRing.Identity(name: "My phone", address: address, key: try IdentityKey(parsing: Self.irk)))
    let nameless = Self.info.replacing("Alias=My phone\n", with: "")
    #expect(BlueZStorage.identity(in: nameless, at: address)?.name == "Someone's phone")
    for text in [
      "", "[General]\nName=x\n", Self.info.replacing("9B7D", with: "9B"),
      "[IdentityResolvingKey]\nKey=\(String(repeating: "0", count: 32))\n",
    ] {
      #expect(BlueZStorage.identity(in: text, at: address) == nil)
    }
  }

  @Test("Of all adapters, each paired device that uses privacy is found once")
  func folder() throws {
    let scratch = try ScratchDirectory()
    let adapters = ["00:1A:7D:DA:71:13", "00:1A:7D:DA:71:14"]
    var made: [String] = []
    for folder in ["", "/settings"]
      + adapters.flatMap({ ["/\($0)", "/\($0)/C8:0F:10:01:02:03", "/\($0)/cache"] })
    {
      mkdir(scratch.path + folder, 0o700)
      made.append(folder)
    }
    for adapter in adapters {
      try scratch.write("\(adapter)/C8:0F:10:01:02:03/info", Array(Self.info.utf8))
      made.append("/\(adapter)/C8:0F:10:01:02:03/info")
    }
    let identities = try BlueZStorage(path: scratch.path).identities()
    #expect(identities.map(\.name) == ["My phone"])
    for name in made.reversed() where !name.isEmpty { remove(scratch.path + name) }
    let error = #expect(throws: CommandError.self) {
      try BlueZStorage(path: "\(scratch.path)/none").identities()
    }
    #expect(error?.message == "cannot read \(scratch.path)/none: No such file or directory")
  }

  @Test("The notations of other programs are understood")
  func notations() throws {
    let texts = [
      "{\"bindkeys\": {\"A4:C1:38:56:53:84\": \"\(Self.key)\"}, \"identities\": {\"C8:0F:10:01:02:03\": \"\(Self.irk)\"}}",
      """
      {"version": 1, "data": {"entries": [
        {"domain": "bthome", "unique_id": "A4:C1:38:56:53:84", "title": "Kitchen", "data": {"bindkey": "\(Self.key)"}},
        {"domain": "private_ble_device", "title": "C8", "data": {"irk": "\(Self.irk)"}},
        {"domain": "sun", "data": {}}]}}
      """,
    ]
    for text in texts {
      let foreign = ForeignKeys(in: Array(text.utf8))
      #expect(foreign.bindKeys.map(\.key) == [try BindKey(parsing: Self.key)])
      #expect(foreign.bindKeys.map { "\($0.address)" } == ["A4:C1:38:56:53:84"])
      #expect(foreign.identities.map(\.key) == [try IdentityKey(parsing: Self.irk)])
    }
    let lists = [
      "ble_monitor:\n  devices:\n    - mac: 'A4:C1:38:56:53:84'\n      name: x\n      encryption_key: '\(Self.key)'\n",
      "A4:C1:38:56:53:84 \(Self.key)\n", "--bindkeys A4-C1-38-56-53-84 \(Self.key.uppercased())",
    ]
    for text in lists {
      #expect(ForeignKeys(in: Array(text.utf8)).bindKeys.map(\.key) == [try BindKey(parsing: Self.key)])
    }
    for text in ["", "{}", "[1]", "no keys", Self.key, "A4:C1:38:56:53:84 12"] {
      #expect(ForeignKeys(in: Array(text.utf8)).isEmpty)
    }
    #expect(IdentityKey(imported: "7AI0o1fIrQU0EBCmCjl9mw==") == (try IdentityKey(parsing: Self.irk)))
  }

  @Test("An import keeps the names that a person gave, and gives each device a name of its own")
  func names() throws {
    let (one, other) = (try IdentityKey(parsing: Self.irk), try IdentityKey(parsing: Self.key))
    let address = try Self.address("C8:0F:10:01:02:03")
    var ring = KeyRing(identities: [.init(name: "Mine", key: one)])
    #expect(
      ring.include(.init(name: "iPhone", address: address, key: one))
        == .identity(name: "Mine", address: address))
    #expect(ring.include(.init(name: "iPhone", address: address, key: one)) == nil)
    let second = try Self.address("C8:0F:10:01:02:04")
    #expect(
      ring.include(.init(name: "Mine", address: second, key: other))
        == .identity(name: "Mine \(second)", address: second))
    let third = try IdentityKey(parsing: String(repeating: "5", count: 32))
    #expect(ring.include(.init(name: "", key: third)) == .identity(name: "Unnamed", address: nil))
    let fourth = try IdentityKey(parsing: String(repeating: "6", count: 32))
    #expect(ring.include(.init(name: "", key: fourth)) == .identity(name: "Unnamed 2", address: nil))
    #expect(try KeysDocument.keys(in: KeysDocument.text(of: ring)) == ring)
    #expect(ring.remove("Mine") == [.identity(name: "Mine", address: address)])
    #expect(ring.remove("\(second)") == [.identity(name: "Mine \(second)", address: second)])
    #expect(ring.remove("Mine").isEmpty)
  }
}
