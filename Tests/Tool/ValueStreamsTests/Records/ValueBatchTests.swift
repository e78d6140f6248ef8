// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BLECentral
@testable import BLEFormats
@testable import ValueStreams

@Suite("Batches of values")
struct ValueBatchTests {
  private static let values: [[UInt8]] = [[0, 60], [], [0x16, 70, 0, 4, 5, 6]]

  private func json(_ batches: [ValueBatch], as format: ValueFormat? = nil) -> [String] {
    var writer = EventJSON(format: format)
    var bytes: [UInt8] = []
    for batch in batches { writer.append(.values(batch), to: &bytes) }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private func source(_ uuid: String) -> String {
    """
    "address":"F0:F1:F2:F3:F4:F5","name":"Strap","service":"0000180d-0000-1000-8000-00805f9b34fb",\
    "characteristic":"0000\(uuid)-0000-1000-8000-00805f9b34fb","handle":7
    """
  }

  @Test("A value is a line of JSON, with what it means")
  func json() {
    let batch = SampleStream.batch(Self.values, of: SampleStream.origin(name: "Strap"))
    let source = source("2a37")
    let lines = [
      """
      {"event":"value","time":"2026-11-21T07:58:48.626505Z",\(source),"value":"003c","decoded":{"heart_rate_bpm":60},\
      "via":"signal"}
      """,
      """
      {"event":"value","time":"2026-11-21T07:58:49.626505Z",\(source),"value":"",\
      "decoded":{"problem":"2 bytes missing for flags, heart_rate_bpm"},"via":"signal"}
      """,
    ]
    let written = json([batch, batch])
    #expect(written.count == 6 && Array(written[..<3]) == Array(written[3...]))
    #expect(written[0] == lines[0])
    #expect(written[1].hasPrefix(lines[1].prefix { $0 != "d" }))
  }

  @Test("Values of another attribute, and those without a meaning, have fields of their own")
  func others() {
    let other = SampleStream.origin(BluetoothUUID(short: 0xffe1), name: "Strap", transport: .socket)
    let batches = [
      SampleStream.batch([[0, 60]], of: SampleStream.origin(name: "Strap")),
      SampleStream.batch([[1, 2]], of: other),
    ]
    #expect(
      json(batches)[1] == """
        {"event":"value","time":"2026-11-21T07:58:48.626505Z",\(source("ffe1")),"value":"0102","via":"socket"}
        """)
  }

  @Test("A format adds its text", arguments: [("u8", "0 60"), ("auto", "60 bpm"), ("hex", "003c")])
  func formatted(_ word: String, _ text: String) throws {
    let batch = SampleStream.batch([[0, 60]], of: SampleStream.origin())
    let line = json([batch], as: try ValueFormat(parsing: word))[0]
    #expect(line.hasSuffix(",\"formatted\":\"\(text)\",\"via\":\"signal\"}"))
  }

  @Test("A batch is decoded once, for its parts too")
  func decodedOnce() throws {
    var rest = SampleStream.batch(Self.values, of: SampleStream.origin())
    let whole = rest
    let part = rest.removeFirst(costing: ValueBatch.ownCost + 70)
    let first = try #require(part)
    #expect(first.values.count == 1 && rest.values.count == 2)
    let places = [whole, first, rest].map { batch in
      batch.decoded.rows.withUnsafeBufferPointer { $0.baseAddress }
    }
    #expect(Set(places).count == 1)
    #expect(rest.values.map { $0.value } == Array(Self.values[1...]))
    #expect(first.decoded[0]?.text == "60 bpm")
    #expect(rest.decoded[rest.values.endIndex - 1]?["heart_rate_bpm"] == .integer(70))
  }

  @Test("Values beyond the limit are decoded again for each output")
  func decodedAnew() {
    let many = Array(repeating: [UInt8(0), 60], count: SharedDecoding.mostKept + 1)
    let batch = SampleStream.batch(many, of: SampleStream.origin())
    let (first, second) = (batch.decoded.rows, batch.decoded.rows)
    #expect(
      first.withUnsafeBufferPointer { $0.baseAddress } != second.withUnsafeBufferPointer { $0.baseAddress })
    #expect(first == second)
  }

  @Test(
    "Lines have what they are asked for",
    arguments: [
      (ValueStyle(isJSON: false), false, "003c\n"),
      (ValueStyle(isJSON: false, view: ValueView(.raw)), false, "\0<"),
      (ValueStyle(isJSON: false, view: ValueView(.raw)), true, #"\u{0}<"#),
      (ValueStyle(isJSON: false, view: ValueView(.auto)), false, "60 bpm\t003c\n"),
      (ValueStyle(isJSON: false), true, "60 bpm  003c\n"),
      (
        ValueStyle(isJSON: false, showsTime: true, showsCharacteristic: true, showsAddress: true), false,
        "2026-11-21T07:58:48.626505Z\tF0:F1:F2:F3:F4:F5\t2a37\t003c\n"
      ),
      (
        ValueStyle(isJSON: false, showsAddress: true, word: { _ in "My Strap" }), true,
        "My Strap 60 bpm  003c\n"
      ),
      (ValueStyle(isJSON: false, showsAddress: true), true, "F0:F1:F2:F3:F4:F5 60 bpm  003c\n"),
      (
        ValueStyle(isJSON: false, showsAddress: true, word: { _ in "My Strap" }), false,
        "F0:F1:F2:F3:F4:F5\t003c\n"
      ),
    ])
  func lines(_ style: ValueStyle, _ isTerminal: Bool, _ text: String) throws {
    let captured = CapturedConsole()
    let sink = ConsoleOutputSink(captured.console(isTerminal: isTerminal), style)
    try sink.print([.values(SampleStream.batch([[0, 60]], of: SampleStream.origin()))])
    #expect(captured.output == [text])
  }

  @Test("On a terminal, raw bytes keep their lines, and cannot give it commands")
  func rawOnTerminal() throws {
    let captured = CapturedConsole()
    let sink = ConsoleOutputSink(
      captured.console(isTerminal: true), ValueStyle(isJSON: false, view: ValueView(.raw)))
    let value = Array("a\n\u{1b}[2Jb\n".utf8)
    try sink.print([.values(SampleStream.batch([value], of: SampleStream.origin()))])
    #expect(captured.output == ["a\n\\u{1b}[2Jb\n"])
  }

  @Test("On a terminal, a value without a meaning stands in brackets behind its time")
  func bare() throws {
    let captured = CapturedConsole()
    let sink = ConsoleOutputSink(
      captured.console(isTerminal: true), ValueStyle(isJSON: false, showsTime: true))
    let origin = SampleStream.origin(BluetoothUUID(short: 0xffe1))
    try sink.print([.values(SampleStream.batch([[1, 2]], of: origin))])
    #expect(captured.output[0].hasSuffix(" <0102>\n"))
  }
}
