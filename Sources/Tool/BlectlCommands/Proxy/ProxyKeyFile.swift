// SPDX-License-Identifier: MIT
internal import BlectlArguments
internal import BlectlSession
internal import BluetoothProxy
internal import Glibc
internal import TerminalOutput
internal import ValueStreams

/// The file with the key of the proxies of this machine, which only its owner may read.
///
/// The key never changes by itself: clients with the former one would be refused.
struct ProxyKeyFile {
  let path: String

  /// Far more than a key.
  private static let longest = 4096

  /// The file that was given, else that of the service, else that of the user.
  init(given path: String?, environment: (String) -> String? = Console.environment) throws(CommandError) {
    // systemd separates several folders with colons.
    let state = environment("STATE_DIRECTORY")?.split(separator: ":").first.map { "\($0)/proxy.key" }
    guard let path = path ?? state ?? UserFolder.configuration.path(of: "proxy.key", environment) else {
      throw .usage("cannot find a folder for the key: $HOME is not set", hint: "--key-file FILE")
    }
    self.path = path
  }

  /// Reads the key; makes one if there is no file, and tells the user.
  func key(in context: CommandContext) throws(CommandError) -> ProxyKey {
    if let key = try read() { return key }
    let key = ProxyKey.random()
    guard try write(key) else {
      // Another process was faster.
      if let key = try read() { return key }
      throw failure("it cannot be read")
    }
    if context.console.errors.isTerminal {
      context.console.note("the key for Home Assistant, kept in \(TerminalSafe.escaped(path)): \(key.text)")
    } else {
      // Not into a journal.
      context.remark("made a key for Home Assistant; to see it: cat \(ShellWord.quoted(path))")
    }
    return key
  }

  private func read() throws(CommandError) -> ProxyKey? {
    guard let bytes = try PrivateFile(path, of: "the key").read(atMost: Self.longest) else { return nil }
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    guard let key = ProxyKey(parsing: String(decoding: line, as: UTF8.self)) else {
      throw .usage(
        "cannot use the key in \(path): it is not one of 44 characters of Base64",
        hint: "rm \(ShellWord.quoted(path)) to have another one made; Home Assistant then asks for it")
    }
    return key
  }

  /// Writes a new file at once; returns false if there is one.
  private func write(_ key: ProxyKey) throws(CommandError) -> Bool {
    FileStatus.makeFolder(of: path)
    let temporary = "\(path).\(getpid())"
    do throws(OutputError) {
      try AtomicFile(path: temporary).write(Array("\(key.text)\n".utf8), mode: 0o600)
    } catch {
      throw failure("\(error)")
    }
    defer { unlink(temporary) }
    if link(temporary, path) == 0 { return true }
    if errno == EEXIST { return false }
    throw failure(String(cString: strerror(errno)))
  }

  private func failure(_ reason: String) -> CommandError {
    CommandError(
      status: .failed, message: "cannot keep the key in \(path): \(reason)", hint: "--key-file FILE")
  }
}
