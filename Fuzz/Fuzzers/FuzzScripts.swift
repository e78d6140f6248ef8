// SPDX-License-Identifier: MIT
internal import ScriptLanguage

@testable internal import BlectlCommands
@testable internal import TerminalOutput

/// Feeds any text to the parser of scripts, and to all that checks a script before it runs.
///
/// A script has mistakes at places that exist, in order and harmless for a terminal; or its lines mean the same when they are
/// typed one by one.
func fuzzScripts(_ input: UnsafeRawBufferPointer) {
  let bytes = Array(input)
  let text = String(decoding: bytes, as: UTF8.self)
  let (script, mistakes) = ScriptParser.parse(text)
  let lineCount = text.utf8.count { $0 == UInt8(ascii: "\n") } + 1
  var last = ScriptPlace(line: 0, column: 0)
  for mistake in mistakes {
    precondition(last <= mistake.place && (1...lineCount).contains(mistake.place.line), "\(mistake)")
    precondition(mistake.place.column > 0 && !mistake.reason.isEmpty, "\(mistake)")
    last = mistake.place
  }
  if mistakes.isEmpty { checkTyped(text, script) }
  guard let options = (try? CommandLineTool.parse(["run", "X"]))?.common else {
    preconditionFailure("a command without options is refused")
  }
  do throws(CommandError) {
    let loaded = try LoadedScript(
      bytes, named: "a.ble", Blectl.scriptVocabulary, overriding: [:], options)
    precondition(mistakes.isEmpty && loaded.script == script)
  } catch {
    precondition(error.status == .usage)
    for line in ErrorReport.lines(error, verbosity: 0) {
      precondition(!line.unicodeScalars.contains { $0.isHarmful }, "harmful: \(line.debugDescription)")
    }
  }
}

/// The lines one by one are the same statements.
private func checkTyped(_ text: String, _ script: Script) {
  var parser = ScriptParser()
  var typed: [ScriptStatement] = []
  var number = 0
  for line in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false) {
    number += 1
    var line = line
    if line.last == "\r" { line.removeLast() }
    do throws(ScriptMistake) {
      typed += try parser.typed(String(Substring(line)), number: number)
    } catch {
      preconditionFailure("refused when typed: \(error)")
    }
  }
  precondition(typed == script.statements && !parser.isInLoop, "typed differently: \(text.debugDescription)")
}
