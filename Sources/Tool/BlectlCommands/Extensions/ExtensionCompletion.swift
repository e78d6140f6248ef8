// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import AsyncIO
internal import BlectlArguments
internal import Glibc
internal import TerminalOutput

/// The query of the completion scripts about extensions: `blectl ---extensions [NAME WORD…]`.
struct ExtensionCompletion {
  /// With three hyphens, as ArgumentParser's own questions.
  static let question = "---extensions"
  /// A completion is of no use to somebody who has gone on typing.
  private static let limit = Duration.seconds(2)
  private static let mostBytes = 1 << 16

  let folders: ExtensionFolders
  /// ArgumentParser knows it only in its own questions.
  private let shell = Console.environment("SAP_SHELL").flatMap { CompletionShell(rawValue: $0) }

  init(folders: ExtensionFolders) { self.folders = folders }

  /// The lines for the shell: the names of all extensions, or what an extension offers for the last word.
  func lines(for words: [String]) -> [String] {
    guard let name = words.first, words.count > 1 else {
      return LiveCompletion.list(folders.all().map { Candidate($0.name, about: $0.path) }, for: shell)
    }
    guard let completer = folders.completer(of: name) else { return [] }
    let text = output(of: [completer] + words.dropFirst())
    return text.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: "\t", maxSplits: 1)
      guard let word = parts.first else { return nil }
      let candidate = Candidate(String(word), about: parts.count > 1 ? String(parts[1]) : nil)
      return candidate.isHarmless || Self.isOption(candidate.word) ? candidate.text(for: shell) : nil
    }
  }

  private static func isOption(_ word: String) -> Bool {
    word.hasPrefix("-")
      && word.utf8.allSatisfy {
        $0 == UInt8(ascii: "-") || (0x61...0x7a).contains($0 | 0x20) || (0x30...0x39).contains($0)
      }
  }

  /// Returns the output of a program, as far as it arrives in time; empty if the program cannot be started.
  private func output(of words: [String]) -> String {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return "" }
    let silence = open("/dev/null", O_RDWR)
    defer { for descriptor in [ends[0], silence] { close(descriptor) } }
    var start = ProcessStart(words)
    start.environment = [ExtensionFolders.variable: ProgramPath.own]
    start.descriptors = [0: silence, 1: ends[1], 2: silence]
    start.isBound = true
    let child = try? start.start()
    close(ends[1])
    let clock = ContinuousClock()
    let deadline = clock.now + Self.limit
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while text.count < Self.mostBytes {
      var request = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
      let left = max(.zero, deadline - clock.now) / .milliseconds(1)
      guard poll(&request, 1, Int32(left)) > 0 else { break }
      let count = read(ends[0], &buffer, buffer.count)
      guard count > 0 else { break }
      text += buffer[..<count]
    }
    // Killed with its last reference, if it is running still.
    return withExtendedLifetime(child) { String(decoding: text, as: UTF8.self) }
  }
}
