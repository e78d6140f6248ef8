// SPDX-License-Identifier: MIT

@testable internal import BlectlCommands

/// Feeds any words to what reads the command line; nothing is run.
///
/// The first byte chooses what the rest is: one word, for the parsers of single words, or a whole command line
/// (``CommandLineSpelling``), which a command alone and the tree of all commands have to parse to the same result.
func fuzzArguments(_ input: UnsafeRawBufferPointer) {
  guard let choice = input.first else { return }
  let rest = Array(input.dropFirst())
  switch choice {
  case 0..<0x60: checkWord(String(decoding: rest, as: UTF8.self))
  case 0x60..<0x70: checkName(String(decoding: rest, as: UTF8.self))
  case 0x70..<0xf0: checkCommandLine(CommandLineSpelling.words(rest, startsWithCommand: true))
  default: checkCommandLine(CommandLineSpelling.words(rest, startsWithCommand: false))
  }
}

/// Any command line is parsed, alone and in the tree alike, or refused with an error that is safe for a terminal.
private func checkCommandLine(_ words: [String]) {
  // ArgumentParser's own options do more than parsing: completion queries the bus.
  guard !words.contains(where: { $0.hasPrefix("---") || $0.hasPrefix("--generate") }) else { return }
  do {
    let alone = try CommandLineTool.parse(words)
    _ = alone.deviceText
    let inTree = try CommandLineTool.parseInTree(words)
    precondition(dumped(alone) == dumped(inTree), "parsed in two ways: \(words)")
  } catch {
    let lines = ErrorReport.lines(UsageReport.error(error, words), verbosity: 0)
    precondition(!lines.isEmpty, "refused without a word: \(words)")
    for line in lines {
      precondition(!line.unicodeScalars.contains { $0.isHarmful }, "harmful: \(line.debugDescription)")
    }
  }
}

/// Everything that a command holds, including its property wrappers.
private func dumped(_ command: Any) -> String {
  var text = ""
  dump(command, to: &text)
  return text
}
