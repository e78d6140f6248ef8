// SPDX-License-Identifier: MIT
import BLECentral
import BlectlArguments
import BlectlScripting
import BlectlSession
import ValueStreams

/// A grammar of `read CHAR [OFFSET]`, `write CHAR HEX`, `expect CHAR HEX` and `subscribe CHAR`.
struct FakeGrammar: ScriptGrammar {
  let stepWords = ["read", "write", "expect", "subscribe"]
  let otherWords: [String] = []

  func step(
    _ words: [String], for address: String, inheriting options: GlobalOptions
  ) throws(ScriptProblem) -> ScriptStep {
    do throws(ArgumentError) {
      let characteristic = try CharacteristicArgument(parsing: words[1])
      switch words[0] {
      case "read":
        let offset = words.count > 2 ? try Int(parsingOffset: words[2]) : 0
        return .read(FakeRead(characteristics: [characteristic], offset: offset))
      case "write": return .write(FakeWrite(characteristic: characteristic, text: words[2]))
      case "expect": return .expect(Expectation(try ValuePattern([words[2]], for: nil), from: characteristic))
      case "subscribe": return .subscribe(FakeSubscribe(characteristics: [characteristic]))
      default: throw ArgumentError(words[0], "is no command")
      }
    } catch {
      throw ScriptProblem(reason: "\(error)", word: 1)
    }
  }

  func command(_ words: [String], inheriting options: GlobalOptions) -> (any ScriptCommand)? { nil }
  func help(on word: String?) -> [String] { [] }
  func options(of word: String) -> [String] { [] }
}

struct FakeRead: ReadingCommand {
  let characteristics: [CharacteristicArgument]
  let descriptor: BluetoothUUID? = nil
  let offset: Int
  let view: ValueView? = nil
  let options = GlobalOptions()
  func run(in context: CommandContext) {}
}

struct FakeWrite: WritingCommand {
  var problemOnSeveral: String? { nil }
  let characteristic: CharacteristicArgument
  let text: String
  let descriptor: BluetoothUUID? = nil
  let reply: CharacteristicArgument? = nil
  let options = GlobalOptions()
  var payloads: [ValueSource.Payload] {
    get throws { try ValueSource.payloads([ValueArgument(parsing: text)], from: nil, for: nil) }
  }
  func run(in context: CommandContext) {}
}

struct FakeSubscribe: SubscribingCommand {
  var characteristics: [CharacteristicArgument]
  let options = GlobalOptions()
  func run(in context: CommandContext) {}
}
