// SPDX-License-Identifier: MIT

@testable internal import BlectlCommands

/// Feeds any words to what reads the command line; nothing is run.
///
/// The first byte chooses what the rest is: one word, for everything that reads single words, or a whole command line
/// (``CommandLineSpelling``), which the two readers of command lines have to understand alike.
func fuzzArguments(_ input: UnsafeRawBufferPointer) {
  guard let choice = input.first else { return }
  let rest = Array(input.dropFirst())
  // ArgumentParser is a thousand times slower than the rest: it has its turn less often.
  switch choice {
  case 0..<0x60: checkWord(String(decoding: rest, as: UTF8.self))
  case 0x60..<0x70: checkName(String(decoding: rest, as: UTF8.self))
  case 0x70..<0xf0: checkQuick(CommandLineSpelling.words(rest, isQuick: true))
  default: checkCommandLine(CommandLineSpelling.words(rest, isQuick: false))
  }
}

/// What a quick command was made of, ArgumentParser makes the same of, property by property.
private func checkQuick(_ words: [String]) {
  guard let quick = QuickCommands.command(words) else { return }
  do {
    let slow = try CommandLineTool.parseWithArgumentParser(words)
    precondition(dumped(quick) == dumped(slow), "read in two ways: \(words)")
  } catch {
    preconditionFailure("too quick: \(words): \(error)")
  }
}

/// Any command line is understood, or refused with words that a terminal can show.
private func checkCommandLine(_ words: [String]) {
  checkQuick(words)
  // Those of ArgumentParser's own that do more than to parse: completion asks the bus.
  guard !words.contains(where: { $0.hasPrefix("---") || $0.hasPrefix("--generate") }) else { return }
  do {
    let command = try CommandLineTool.parseWithArgumentParser(words)
    _ = command.deviceText
  } catch {
    let lines = ErrorReport.lines(UsageReport.error(error, words), verbosity: 0)
    precondition(!lines.isEmpty, "refused without a word: \(words)")
    for line in lines {
      precondition(!line.unicodeScalars.contains { $0.isHarmful }, "harmful: \(line.debugDescription)")
    }
  }
}

/// Everything that a command holds, its property wrappers included.
private func dumped(_ command: any BlectlCommand) -> String {
  var text = ""
  dump(command, to: &text)
  return text
}
