// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import Glibc
internal import TestSupport
internal import Testing

@testable import BlectlSession

@Suite("Keys files")
struct KeysFileTests {
  private static let text = """
    {"bind_keys": [{"address": "A4:C1:38:56:53:84", "key": "231d39c1d7cc1ab1aee224cd096db932"}],
     "identities": [{"name": "Phone", "irk": "ec0234a357c8ad05341010a60a397d9b", "address": "C8:0F:10:01:02:03"}]}
    """

  private static func address(_ text: String) throws -> BluetoothAddress {
    try #require(BluetoothAddress(text))
  }

  @Test("The file is the given one, else that of the variable, else that of the user")
  func places() {
    func path(_ given: String?, _ environment: [String: String]) -> String? {
      KeysFile(given: given, environment: { environment[$0] })?.path
    }
    let all = ["BLECTL_KEYS": "b.json", "XDG_CONFIG_HOME": "/config", "HOME": "/home/me"]
    #expect(path("a.json", all) == "a.json")
    #expect(path(nil, all) == "b.json")
    #expect(path(nil, all.filter { $0.key != "BLECTL_KEYS" }) == "/config/blectl/keys.json")
    #expect(path(nil, ["HOME": "/home/me", "BLECTL_KEYS": ""]) == "/home/me/.config/blectl/keys.json")
    #expect(
      path(nil, ["HOME": "/home/me", "XDG_CONFIG_HOME": "relative"]) == "/home/me/.config/blectl/keys.json")
    #expect(path(nil, [:]) == nil)
  }

  @Test(
    "A file that others can read or change is refused, with the command that helps",
    arguments: [0o644, 0o640, 0o620, 0o604])
  func permissions(_ mode: Int) async throws {
    try await TemporaryFile.with(Array(Self.text.utf8), named: "keys.json") { file in
      chmod(file.path, mode_t(mode))
      let error = #expect(throws: CommandError.self) { try KeysFile(path: file.path).read() }
      #expect(error?.status == .usage)
      #expect(
        error?.message
          == "cannot use the keys in \(file.path): others can read or change it (mode \(String(mode, radix: 8)))"
      )
      #expect(error?.hint == "chmod 600 \(file.path)")
      chmod(file.path, 0o400)
      let ring = try KeysFile(path: file.path).read()
      #expect(ring?.identities.count == 1)
    }
  }

  @Test("A change waits for the one of another process, and keeps what it wrote")
  func changes() async throws {
    let scratch = try ScratchDirectory()
    let file = KeysFile(path: "\(scratch.path)/keys.json")
    let (first, second) = (try Self.address("A4:C1:38:00:00:01"), try Self.address("A4:C1:38:00:00:02"))
    let key = try BindKey(parsing: "231d39c1d7cc1ab1aee224cd096db932")
    // As another process holds it: by a descriptor of its own.
    let folder = open(scratch.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(folder) }
    #expect(flock(folder, LOCK_EX) == 0)
    async let change = Task(executorPreference: EventLoop.shared) {
      try await file.change(on: EventLoop.shared) { ring in
        [ring.add(key, for: second)].compactMap(\.self)
      }
    }.value
    var ring = KeyRing()
    _ = ring.add(key, for: first)
    try file.write(ring)
    #expect(flock(folder, LOCK_UN) == 0)
    #expect(try await change.count == 1)
    #expect(try file.read()?.bindKeys.keys.sorted() == [first, second])
  }

  @Test("A folder or a pipe is refused, and a missing file has no keys")
  func kinds() throws {
    let scratch = try ScratchDirectory()
    #expect(try KeysFile(path: "\(scratch.path)/none.json").read() == nil)
    mkfifo("\(scratch.path)/pipe", 0o600)
    for path in [scratch.path, "\(scratch.path)/pipe"] {
      let error = #expect(throws: CommandError.self) { try KeysFile(path: path).read() }
      #expect(error?.message == "cannot use the keys in \(path): it is not a file")
    }
  }

  @Test("The file of another user is refused", .enabled(if: geteuid() == 0, "only root can give files away"))
  func owner() async throws {
    try await TemporaryFile.with(Array(Self.text.utf8), named: "keys.json") { file in
      chown(file.path, 1234, gid_t.max)
      let error = #expect(throws: CommandError.self) { try KeysFile(path: file.path).read() }
      #expect(error?.message == "cannot use the keys in \(file.path): it belongs to another user (1234)")
      #expect(error?.hint == "sudo chown 0 \(file.path)")
    }
  }

  @Test("Several mistakes are listed, with the name of the file, and without a key")
  func mistakes() async throws {
    let text = Self.text.replacing("\"key\"", with: "\"kye\"").replacing("ec02", with: "zz02")
    try await TemporaryFile.with(Array(text.utf8), named: "keys.json") { file in
      let error = #expect(throws: CommandError.self) { try KeysFile(path: file.path).read() }
      #expect(error?.message == "cannot use the keys: \(file.path): 2 mistakes")
      #expect(error?.details.count == 2)
      let all = error.map { $0.message + $0.details.joined() } ?? ""
      for secret in ["231d", "zz02", "a357"] { #expect(!all.contains(secret)) }
    }
  }

  @Test("A file is written for its owner only, in a folder of its own, and behind a link")
  func writing() throws {
    let scratch = try ScratchDirectory()
    let path = "\(scratch.path)/config/blectl/keys.json"
    let ring = try KeysDocument.keys(in: Array(Self.text.utf8))
    let file = KeysFile(path: path)
    try file.write(ring)
    #expect(try file.read() == ring)
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    symlink(path, "\(scratch.path)/link.json")
    try KeysFile(path: "\(scratch.path)/link.json").write(KeyRing())
    #expect(try file.read() == KeyRing())
    #expect(lstat("\(scratch.path)/link.json", &status) == 0)
    #expect(status.st_mode & S_IFMT == S_IFLNK)
    #expect(scratch.names("config/blectl") == ["keys.json"])
    for part in ["config/blectl/keys.json", "config/blectl", "config"] { remove("\(scratch.path)/\(part)") }
  }

  @Test("Keys are read once, when the first is needed; a file that cannot be used is told once")
  func lazily() async throws {
    try await TemporaryFile.with(Array(Self.text.utf8), named: "keys.json") { file in
      let warnings = Lock<[String]>([])
      let store = KeyStore(file: KeysFile(path: file.path)) { error in
        warnings.withLock { $0.append(error.message) }
      }
      let names = DeviceNames(keys: store) { text in warnings.withLock { $0.append(text) } }
      chmod(file.path, 0o644)
      let early = warnings.withLock(\.self)
      #expect(early.isEmpty)
      let phone = try Self.address("70:81:94:0D:FB:AA")
      #expect(names.label(of: phone, .random) == nil)
      #expect(names.label(of: phone, .random) == nil)
      let told = warnings.withLock(\.self)
      #expect(told.count == 1)
      chmod(file.path, 0o600)
      let later = DeviceNames(keys: KeyStore(file: KeysFile(path: file.path)) { _ in }) { _ in }
      let identity = PrivateIdentity(name: "Phone", address: try Self.address("C8:0F:10:01:02:03"))
      #expect(later.label(of: phone, .random) == DeviceLabel(name: "Phone", identity: identity))
      #expect(try later.label(of: Self.address("C8:0F:10:01:02:03"), .random)?.identity == identity)
      // A public address can have the same bits.
      let fresh = DeviceNames(keys: KeyStore(file: KeysFile(path: file.path)) { _ in }) { _ in }
      #expect(fresh.label(of: phone, .public) == nil)
      #expect(try later.label(of: Self.address("70:81:94:0D:FB:AB"), .random) == nil)
      #expect(try later.hasIdentity(at: Self.address("C8:0F:10:01:02:03")))
    }
  }

  @Test(
    "The name in a profile counts more than that of the key, by the address of a device or by the name of its key"
  )
  func profiles() async throws {
    try await TemporaryFile.with(Array(Self.text.utf8), named: "keys.json") { file in
      let sensor = try Self.address("A4:C1:38:56:53:84")
      let own = [
        ProfileDevice(name: "Kitchen", address: sensor), ProfileDevice(name: "My phone", identity: "Phone"),
      ]
      let names = DeviceNames(keys: KeyStore(file: KeysFile(path: file.path)) { _ in }, own: { own }) { _ in }
      #expect(names.label(of: sensor, .public) == DeviceLabel(name: "Kitchen"))
      let label = try names.label(of: Self.address("70:81:94:0D:FB:AA"), .random)
      #expect(label?.name == "My phone")
      #expect(label?.identity?.name == "Phone")
      let stranger = try Self.address("A4:C1:38:56:53:85")
      #expect(names.label(of: stranger, .public) == nil)
    }
  }
}
