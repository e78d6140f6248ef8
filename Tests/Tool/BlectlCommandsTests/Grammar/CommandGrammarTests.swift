// SPDX-License-Identifier: MIT
internal import BlectlArguments
internal import TestSupport
internal import Testing

@testable internal import BlectlCommands
@testable internal import BlectlScripting

@Suite("The commands of scripts and of the shell")
struct CommandGrammarTests {
  @Test("No step has the name of a command, or of a word of the language")
  func names() {
    let words = Blectl.grammar.stepWords + ScriptParser.keywords
    #expect(Set(words).count == words.count)
    #expect(
      words.contains("read") && words.contains("notify") && words.contains("expect")
        && !words.contains("scan"))
  }

  private func candidates(_ line: String) -> [String] {
    let start =
      line.utf8.lastIndex(of: UInt8(ascii: " ")).map {
        line.utf8.distance(from: line.utf8.startIndex, to: $0) + 1
      } ?? 0
    let word = String(line.utf8.dropFirst(start)) ?? ""
    return ShellCompletion(Blectl.grammar, [SampleStream.characteristic()], of: nil).candidates(line, start)
      .filter {
        $0.hasPrefix(word)
      }
  }

  @Test("Tab completes commands, options, characteristics, formats and fields")
  func completion() {
    #expect(candidates("unsu") == ["unsubscribe"])
    #expect(candidates("read --ev") == ["--every"])
    #expect(candidates("read heart") == ["heart-rate-measurement"])
    #expect(candidates("read ") == ["heart-rate-measurement", "2a37", "@0007"])
    #expect(candidates("read 2a37 --as u16") == ["u16", "u16be"])
    #expect(candidates("expect 2a37 heart") == ["heart_rate_bpm"])
    #expect(candidates("help sca") == ["scan"])
    #expect(candidates("scan --dur") == ["--duration"])
    #expect(candidates("adapter o").isEmpty)
  }
}
