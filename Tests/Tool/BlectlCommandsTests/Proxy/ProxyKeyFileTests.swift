// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlectlArguments
internal import BlectlSession
internal import BluetoothProxy
internal import Glibc
internal import TerminalOutput
internal import TestSupport
internal import Testing

@testable internal import BlectlCommands

@Suite("The key of the proxy")
struct ProxyKeyFileTests {
  private static let key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

  private func context(_ console: CapturedConsole, isTerminal: Bool = false) -> CommandContext {
    CommandContext(
      options: GlobalOptions(), loop: .shared, console: console.console(isTerminal: isTerminal))
  }

  @Test("The file is the given one, else that of the service, else that of the user")
  func places() throws {
    func path(_ given: String?, _ environment: [String: String]) throws -> String {
      try ProxyKeyFile(given: given, environment: { environment[$0] }).path
    }
    let all = ["STATE_DIRECTORY": "/var/lib/blectl:/var/lib/other", "HOME": "/home/me"]
    #expect(try path("a.key", all) == "a.key")
    #expect(try path(nil, all) == "/var/lib/blectl/proxy.key")
    #expect(try path(nil, ["HOME": "/home/me"]) == "/home/me/.config/blectl/proxy.key")
    #expect(throws: CommandError.self) { try path(nil, [:]) }
  }

  @Test(
    "A missing key is made for its owner only, shown once, and on a terminal only", arguments: [true, false])
  func making(isTerminal: Bool) throws {
    let directory = try ScratchDirectory()
    let path = "\(directory.path)/proxy.key"
    let console = CapturedConsole()
    let context = context(console, isTerminal: isTerminal)
    let key = try ProxyKeyFile(given: path).key(in: context)
    #expect(directory.names == ["proxy.key"])
    #expect(directory.read("proxy.key") == "\(key.text)\n")
    var status = stat()
    #expect(lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    context.console.flush()
    let said = console.errors.joined()
    #expect(said.contains(key.text) == isTerminal)
    #expect(said.contains(path))
    #expect(try ProxyKeyFile(given: path).key(in: context) == key)
    context.console.flush()
    #expect(console.errors.joined() == said)
  }

  @Test("A file that others can read, or without a key, is refused, and stays", arguments: [true, false])
  func refused(isOpen: Bool) throws {
    let directory = try ScratchDirectory()
    let text = isOpen ? Self.key : "no key"
    try directory.write("proxy.key", Array(text.utf8))
    let path = "\(directory.path)/proxy.key"
    chmod(path, isOpen ? 0o644 : 0o600)
    let console = CapturedConsole()
    let error = #expect(throws: CommandError.self) { try ProxyKeyFile(given: path).key(in: context(console)) }
    #expect(error?.status == .usage)
    #expect(error?.message.contains(Self.key) == false)
    #expect(directory.read("proxy.key") == text)
  }

  @Test("A key cannot be kept in a folder that is missing, and nothing is served with another one")
  func noFolder() throws {
    let directory = try ScratchDirectory()
    try directory.write("file", [1])
    let error = #expect(throws: CommandError.self) {
      try ProxyKeyFile(given: "\(directory.path)/file/proxy.key").key(in: context(CapturedConsole()))
    }
    #expect(error?.message.hasPrefix("cannot keep the key in") == true)
  }
}
