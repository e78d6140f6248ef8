// SPDX-License-Identifier: MIT
import Testing

@testable import BLEWorld
@testable import PeripheralEmulator

@Suite("What a serial port answers")
struct SerialDialogueTests {
  private static let modem = SerialPortSpec(
    greeting: "hello", answers: [.init("AT", "OK"), .init("", "?"), .init("ATZ", "")], otherAnswer: "ERROR")

  /// What is sent for texts, one after another.
  private func output(_ port: SerialPortSpec, _ texts: String...) -> [String] {
    var dialogue = SerialDialogue(port)
    return texts.map { String(decoding: dialogue.output(for: Array($0.utf8)), as: UTF8.self) }
  }

  @Test("Without answers, what is received is sent back, unless the port is to be silent")
  func echo() {
    #expect(output(SerialPortSpec(), "one", "", "\r\ntwo\0") == ["one", "", "\r\ntwo\0"])
    #expect(output(SerialPortSpec(echo: false), "one\r") == [""])
  }

  @Test("A line ends with CR, LF or both, in whatever parts it comes")
  func lines() {
    #expect(
      output(Self.modem, "AT\r", "AT\n", "AT\r\n", "A", "T\r", "\nAT\r") == [
        "OK", "OK", "OK", "", "OK", "OK",
      ])
    #expect(output(Self.modem, "AT\rAT\rATX\rATZ\r") == ["OKOKERROR"])
    #expect(output(Self.modem, "\r", "\r\n", "\n") == ["?", "?", "?"])
  }

  @Test("A line without an answer gets the other answer, but an empty one gets none")
  func otherLines() {
    let port = SerialPortSpec(answers: [.init("AT", "OK")], otherAnswer: "ERROR")
    #expect(output(port, "\r\n", "\n", "at\r", "AT \r", "AT\r") == ["", "", "ERROR", "ERROR", "OK"])
    #expect(output(SerialPortSpec(otherAnswer: "ERROR"), "AT\r") == ["ERROR"])
    #expect(output(SerialPortSpec(answers: [.init("AT", "OK")]), "ATX\r") == [""])
  }

  @Test("A port that answers may also send back what it receives, each byte before its answer")
  func echoAndAnswers() {
    var port = Self.modem
    port.echo = true
    #expect(output(port, "AT\r", "ATX\n") == ["AT\rOK", "ATX\nERROR"])
  }

  @Test("A line that is longer than every answer's is another line, whatever it begins with")
  func longLine() {
    let longest = String(repeating: "x", count: SerialPortSpec.longestLine)
    let port = SerialPortSpec(answers: [.init(longest, "OK")], otherAnswer: "ERROR")
    #expect(
      output(port, longest + "\r", longest + "x\r", longest + longest + "\r") == ["OK", "ERROR", "ERROR"])
  }

  @Test("A new subscription gets the greeting, and the line that had begun is forgotten")
  func greeting() {
    var dialogue = SerialDialogue(Self.modem)
    #expect(dialogue.begin() == Array("hello".utf8))
    #expect(dialogue.output(for: Array("ATX".utf8)) == [])
    #expect(dialogue.begin() == Array("hello".utf8))
    #expect(dialogue.output(for: Array("AT\r".utf8)) == Array("OK".utf8))
  }
}
