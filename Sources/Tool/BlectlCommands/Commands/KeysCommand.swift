// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession
internal import JSON
internal import TerminalOutput
internal import ValueStreams

struct KeysCommand: OfflineCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys", _superCommandName: Blectl.name,
    abstract: "List, add, import or remove the keys of your devices.",
    discussion: """
      blectl keys
      blectl keys --json
      blectl keys list -q

      Bind keys decrypt the advertisements of sensors; identity resolving keys (IRKs) recognize devices that change their \
      address. They are in a file that only you may read.

      add ADDRESS reads the bind key of a sensor, add NAME [ADDRESS] the IRK of a device: from standard input, or with a \
      question on a terminal, never from an argument, which other users can see. import takes the IRKs of the paired devices \
      from BlueZ, for which it needs root: sudo blectl keys import --keys FILE. import FILE takes keys from a file of Theengs \
      gateway or of Home Assistant, or from a list of addresses and keys. remove takes addresses and names.

      blectl help keys describes the file.
      """)

  enum Action: String, CaseIterable {
    case list
    case add
    case remove
    case `import`
  }

  @Argument(
    help: "list, add, remove or import. (default: list)", completion: .list(Action.allWords),
    transform: { try Action(word: $0, of: "action") })
  var action = Action.list
  @Argument(
    help: ArgumentHelp("An address, a name or a file.", valueName: "subject"),
    completion: LiveCompletion.keySubject)
  var subjects: [String] = []
  @Flag(
    help:
      "The IRK begins with its least significant byte, as in BlueZ's files; without it, with its most significant."
  )
  var reversed = false
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  func validate() throws {
    try refuseOptionsOfBluetooth()
    // Before the number of arguments: a key must not go unnoticed.
    if action != .import, subjects.contains(where: { KeysCommand.isKey($0) }) {
      throw ValidationError(
        "a key must not be an argument, which other users of this machine can see: it is read from standard input"
      )
    }
    switch action {
    case .list where !subjects.isEmpty: throw ValidationError("keys list takes no arguments.")
    case .add where subjects.isEmpty || subjects.count > 2:
      throw ValidationError("keys add needs an address, or a name and, if it is known, an address.")
    case .remove where subjects.isEmpty: throw ValidationError("keys remove needs an address or a name.")
    default: break
    }
    if reversed, action != .add { throw ValidationError("--reversed needs keys add.") }
  }

  /// Home Assistant's file has all its integrations.
  private static let longestFile = 64 << 20

  private static func isKey(_ text: String) -> Bool {
    BluetoothAddress(text) == nil
      && ((try? BindKey(parsing: text)) != nil || IdentityKey(imported: text) != nil)
  }

  func run(in context: CommandContext) async throws {
    guard let file = context.keys.file else {
      throw CommandError.usage("cannot find the keys: there is no $HOME", hint: "--keys FILE")
    }
    // Mistakes in the file come before a question.
    let ring = try file.read() ?? KeyRing()
    let change: Change
    switch action {
    case .list: return try list(ring, context)
    case .add: change = try await addition(context)
    case .remove: change = { try remove(from: &$0, file) }
    case .import: change = try inclusion()
    }
    let changes = try await file.change(on: context.loop, change)
    let event = action == .remove ? KeyRecord.Event.removed : .added
    for change in changes {
      let record = KeyRecord(change, event: event)
      if common.json { try context.console.write(record) } else { context.remark(record.remark) }
    }
    if changes.isEmpty, !common.json { context.remark("nothing new") }
  }

  // MARK: Actions

  private func list(_ ring: KeyRing, _ context: CommandContext) throws {
    let console = context.console
    let records =
      ring.bindKeys.keys.sorted().map { KeyRecord(.bindKey($0)) }
      + ring.identities.map { KeyRecord(.identity(name: $0.name, address: $0.address)) }
    if common.json {
      for record in records { try console.write(record) }
    } else if console.output.isTerminal {
      if records.isEmpty { return context.remark("no keys") }
      let table = TableLayout(columns: [
        .init(title: "KIND"), .init(title: "ADDRESS"), .init(title: "NAME", isFlexible: true),
      ])
      try console.write(
        lines: table.lines(
          rows: records.map { $0.fields.map { TableLayout.Cell($0) } }, width: console.output.size?.columns,
          style: console.output.style))
    } else {
      try console.write(lines: records.map { TabSeparated.line($0.fields) })
    }
  }

  private typealias Change = (inout KeyRing) throws -> [KeyChange]

  /// Asks for the key, which may take minutes, and returns what adds it.
  private func addition(_ context: CommandContext) async throws -> Change {
    let subject = subjects[0]
    if let address = BluetoothAddress(subject) {
      guard subjects.count == 1, !reversed else {
        throw CommandError.usage(
          "cannot add the key: a bind key needs one address", hint: "blectl keys add NAME ADDRESS")
      }
      let text = try await secret("The bind key of \(address), 32 hexadecimal digits", context)
      do throws(SecretKeyError) {
        let key = try BindKey(parsing: text)
        return { [$0.add(key, for: address)].compactMap(\.self) }
      } catch {
        throw CommandError.usage("cannot add the key of \(address): \(error)")
      }
    }
    guard KeysDocument.isName(subject), let address = try identityAddress() else {
      throw CommandError.usage(
        "cannot add the key: the name has more than \(KeysDocument.longestName) bytes, or none")
    }
    let text = try await secret("The identity resolving key of \(subject), 32 hexadecimal digits", context)
    guard let key = IdentityKey(imported: text).map({ reversed ? $0.reversed : $0 }) else {
      throw CommandError.usage(
        "cannot add the key of \(subject): it is neither 32 hexadecimal digits nor 24 characters of Base64")
    }
    let identity = KeyRing.Identity(name: subject, address: address.value, key: key)
    return { [$0.replace(identity)].compactMap(\.self) }
  }

  private struct OptionalAddress { let value: BluetoothAddress? }

  private func identityAddress() throws -> OptionalAddress? {
    guard subjects.count > 1 else { return OptionalAddress(value: nil) }
    return OptionalAddress(value: try BluetoothAddress(parsing: subjects[1]))
  }

  private func secret(_ question: String, _ context: CommandContext) async throws -> String {
    let input = SecretInput(context.terminal, console: context.console, on: context.loop)
    if let line = await input.line(asking: question), !line.isEmpty { return line }
    try Task.checkCancellation()
    throw CommandError.usage("cannot add the key: standard input is empty")
  }

  private func remove(from ring: inout KeyRing, _ file: KeysFile) throws -> [KeyChange] {
    var changes: [KeyChange] = []
    for subject in subjects {
      let removed = ring.remove(subject)
      guard !removed.isEmpty else {
        let names = ring.identities.map(\.name) + ring.bindKeys.keys.map { "\($0)" }
        throw CommandError(
          status: .notFound, message: "cannot remove \(subject): \(file.path) has no such key",
          hint: Spelling.nearest(to: subject, among: names).map { "did you mean \($0)?" } ?? "blectl keys")
      }
      changes += removed
    }
    return changes
  }

  /// Reads the files, and returns what adds their keys.
  private func inclusion() throws -> Change {
    var additions: [(inout KeyRing) -> KeyChange?] = []
    for path in subjects.isEmpty ? [BlueZStorage.usualPath] : subjects {
      if FileStatus.isFolder(path) {
        for identity in try BlueZStorage(path: path).identities() {
          additions.append { $0.include(identity) }
        }
        continue
      }
      let foreign = ForeignKeys(in: try ValueSource.content(of: path, most: KeysCommand.longestFile))
      guard !foreign.isEmpty else {
        throw CommandError(
          status: .failed, message: "cannot import \(path): it has no keys that are understood",
          hint: "blectl help keys")
      }
      for (address, key) in foreign.bindKeys { additions.append { $0.add(key, for: address) } }
      for identity in foreign.identities { additions.append { $0.include(identity) } }
    }
    return { ring in additions.compactMap { add in add(&ring) } }
  }
}
