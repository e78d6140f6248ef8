// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BlectlArguments
internal import BlectlSession
internal import Glibc
internal import ScriptLanguage
internal import TerminalOutput
internal import ValueStreams

/// The commands that the shell knows, and their help.
struct ShellTool: Sendable {
  static let ownWords = ["use", "help", ".save", "quit", "exit"]

  let vocabulary: ScriptVocabulary
  /// Commands that are not about a device.
  private let others: [any BlectlCommand.Type]

  /// - Parameters:
  ///   - tool: all commands.
  ///   - excluded: those that make no sense in a shell.
  init(_ tool: [any ParsableCommand.Type], without excluded: [any ParsableCommand.Type]) {
    vocabulary = ScriptVocabulary(tool)
    others = tool.compactMap { type in
      if type is any DeviceCommand.Type || excluded.contains(where: { $0 == type }) { return nil }
      return type as? any BlectlCommand.Type
    }
  }

  var words: [String] { vocabulary.words + others.map { $0._commandName } + Self.ownWords }

  private static let isUnicode: Bool = {
    setlocale(LC_CTYPE, "")
    return String(cString: nl_langinfo(Int32(CODESET))) == "UTF-8"
  }()
  static var openSign: String { isUnicode ? "●" : "*" }
  static var closedSign: String { isUnicode ? "○" : "-" }

  /// Whether a word is a command that is not about a device.
  func isCommand(_ word: String) -> Bool { others.contains { $0._commandName == word } }

  /// A command that is not about a device; nil if the line is something else.
  ///
  /// - Throws: ``CommandError`` about its arguments; `CleanExit` with help.
  func command(_ words: [String], _ options: GlobalOptions) throws -> (any BlectlCommand)? {
    guard let type = others.first(where: { $0._commandName == words[0] }) else { return nil }
    do {
      return try type.parseAsRoot(options.inherited + words.dropFirst()) as? any BlectlCommand
    } catch {
      let reason = ArgumentMessage.reason(error, of: type, Array(words.dropFirst()), among: [])
      throw CommandError.usage("cannot run '\(words[0])': \(reason)", hint: "help \(words[0])")
    }
  }

  /// The declaration of a command.
  func declaration(of word: String) -> (any ParsableCommand.Type)? {
    vocabulary.declaration(of: word) ?? others.first { $0._commandName == word }
  }

  /// The lines of help on a command, or on all.
  func help(_ word: String?) throws(CommandError) -> [String] {
    guard let word else {
      let all = (vocabulary.commands as [any ParsableCommand.Type]) + ScriptVocabulary.steps + others
      let width = all.map { $0._commandName.count }.max() ?? 0
      return all.map { "\(DisplayWidth.padded($0._commandName, to: width))  \($0.configuration.abstract)" }
        + [
          "", "repeat, for, set, let   loops and variables: blectl help scripts",
          "use DEVICE, .save FILE, help COMMAND, quit",
        ]
    }
    guard let type = declaration(of: word) else {
      throw .usage("cannot show help on '\(word)': no such command", hint: "help")
    }
    let text = HelpPage(type, columns: 80)?.text(isOffline: type is any OfflineCommand.Type) ?? ""
    return (type is any DeviceCommand.Type ? ["Here, leave <device> out.", ""] : [])
      + text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// The options of a command, as its help lists them.
  func options(of word: String) -> [String] {
    guard let type = declaration(of: word) else { return [] }
    return CommandOptions(of: type).names.filter { !GlobalOptions.ofWholeRun.contains($0) }
  }

  /// Writes lines to a new file.
  static func write(_ lines: [String], to path: String) throws(CommandError) {
    do throws(OutputError) {
      try AtomicFile(path: path).write(Array((lines.joined(separator: "\n") + "\n").utf8))
    } catch {
      throw CommandError(status: .failed, message: "cannot save to \(TerminalSafe.escaped(path)): \(error)")
    }
  }
}
