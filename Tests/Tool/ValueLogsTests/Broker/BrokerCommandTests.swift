// SPDX-License-Identifier: MIT
import Testing

@testable import BLECentral
@testable import BLEFormats
@testable import ValueLogs
@testable import ValueStreams

@Suite("Commands from a broker")
struct BrokerCommandTests {
  private static func topic(_ text: String) -> CommandTopic? { CommandTopic(text, under: "ble/hall") }

  private static func request(_ topic: String, _ payload: String) throws -> RemoteRequest? {
    guard let topic = Self.topic(topic) else { return nil }
    return try CommandPayload(Array(payload.utf8)).request(at: topic)
  }

  @Test("A topic of a command names a device, a characteristic and what to do")
  func topics() throws {
    let set = try #require(Self.topic("ble/hall/F0:F1:F2:F3:F4:F5/2a39/set"))
    #expect(set.address == "F0:F1:F2:F3:F4:F5" && set.characteristic == "2a39" && set.verb == .set)
    #expect(set.result == "ble/hall/F0:F1:F2:F3:F4:F5/2a39/result")
    #expect(Self.topic("ble/hall/F0:F1:F2:F3:F4:F5/battery-level/get")?.verb == .get)
    #expect(CommandTopic.filters(under: "ble/hall") == ["ble/hall/+/+/get", "ble/hall/+/+/set"])
  }

  @Test(
    "Topics of records, of answers and of other logs are no commands",
    arguments: [
      "ble/hall/F0:F1:F2:F3:F4:F5/2a39", "ble/hall/F0:F1:F2:F3:F4:F5/2a39/result", "ble/hall/status",
      "ble/hall/a/F0:F1:F2:F3:F4:F5/2a39/set", "ble/hallway/F0:F1:F2:F3:F4:F5/2a39/set", "ble/hall//set", "",
    ])
  func others(topic: String) {
    #expect(Self.topic(topic) == nil)
  }

  @Test(
    "A payload is a value as on the command line, or JSON with an id",
    arguments: [
      ("u8:1", nil, "u8:1"), ("rate=100 mode=fast", nil, "rate=100 mode=fast"), ("01\n", nil, "01"),
      (#"{"id":"a1","value":"u8:1"}"#, "a1", "u8:1"), (#" {"value":"01","by":"me"}"#, nil, "01"),
      (#"{"id":"a1"}"#, "a1", nil), ("", nil, nil), ("{}", nil, nil),
    ] as [(String, String?, String?)])
  func payloads(text: String, id: String?, value: String?) throws {
    let payload = try CommandPayload(Array(text.utf8))
    #expect(payload.id == id && payload.value == value)
  }

  @Test(
    "A payload that is no command says why, with the id if it is known",
    arguments: [
      ([0xff, 0xfe], "the payload is not text in UTF-8", nil),
      (Array("{\"id\":".utf8), "the payload is not valid JSON", nil),
      (Array(#"{"id":7,"value":"01"}"#.utf8), "the id is no text", nil),
      (Array(#"{"id":"","value":"01"}"#.utf8), "the id is no text", nil),
      (Array(#"{"id":"a1","value":1}"#.utf8), #"the value is no text, such as "u8:1""#, "a1"),
    ] as [([UInt8], String, String?)])
  func faults(bytes: [UInt8], reason: String, id: String?) {
    let fault = #expect(throws: CommandPayload.Fault.self) { try CommandPayload(bytes) }
    #expect(fault?.reason.hasPrefix(reason) == true && fault?.id == id)
  }

  @Test("A set needs a value, and a get has none")
  func verbs() throws {
    let place = "ble/hall/F0:F1:F2:F3:F4:F5/2a39"
    #expect(try Self.request(place + "/set", "u8:1")?.action == .write("u8:1"))
    #expect(try Self.request(place + "/get", "")?.action == .read)
    #expect(try Self.request(place + "/get", #"{"id":"a1"}"#)?.action == .read)
    #expect(throws: CommandPayload.Fault.self) { try Self.request(place + "/set", #"{"id":"a1"}"#) }
    #expect(throws: CommandPayload.Fault.self) { try Self.request(place + "/get", "01") }
  }

  @Test("An answer has the id, what became of the command, and what was read")
  func answers() throws {
    let topic = try #require(Self.topic("ble/hall/F0:F1:F2:F3:F4:F5/2a19/get"))
    func text(_ outcome: RemoteOutcome, _ id: String?) -> String {
      String(decoding: BrokerMessage.answer(outcome, id: id, at: topic).payload, as: UTF8.self)
    }
    #expect(text(.done(), "a1") == #"{"id":"a1","status":"done"}"#)
    #expect(text(.failed("no \"link\""), nil) == #"{"status":"failed","error":"no \"link\""}"#)
    #expect(text(.unknown("lost"), "a") == #"{"id":"a","status":"unknown","error":"lost"}"#)
    let decoded = ValueLayout(for: BluetoothUUID(short: 0x2a19))?.decode([87])
    #expect(
      text(.done(RemoteValue([87], decoded: decoded)), nil)
        == #"{"status":"done","value":"57","decoded":{"battery_level_percent":87}}"#)
    #expect(!BrokerMessage.answer(.done(), id: nil, at: topic).isRetained)
  }
}

@Suite("The memory of commands")
struct CommandMemoryTests {
  private static func key(_ id: Int, verb: String = "set") throws -> CommandMemory.Key {
    CommandMemory.Key(
      topic: try #require(CommandTopic("t/F0:F1:F2:F3:F4:F5/2a39/\(verb)", under: "t")), id: "\(id)")
  }

  private static func answer(_ text: String) -> BrokerMessage {
    BrokerMessage(topic: "t", payload: Array(text.utf8)[...])
  }

  private static func word(_ knowledge: CommandMemory.Knowledge) -> String {
    switch knowledge {
    case .new: "new"
    case .underWay: "under way"
    case .answered(let message): String(decoding: message.payload, as: UTF8.self)
    }
  }

  @Test("A command is new once; then it is under way until it is answered, and has that answer for ever")
  func once() throws {
    var memory = CommandMemory()
    let key = try Self.key(1)
    #expect(Self.word(memory.take(key)) == "new")
    #expect(Self.word(memory.take(key)) == "under way")
    memory.answer(key, Self.answer("done"))
    #expect(Self.word(memory.take(key)) == "done")
    #expect(Self.word(memory.take(key)) == "done")
  }

  @Test("An id names one command at each topic")
  func topics() throws {
    var memory = CommandMemory()
    #expect(Self.word(memory.take(try Self.key(1))) == "new")
    #expect(Self.word(memory.take(try Self.key(1, verb: "get"))) == "new")
  }

  @Test("The oldest answers are forgotten, and never what is under way")
  func bounds() throws {
    var memory = CommandMemory(limit: 3)
    _ = memory.take(try Self.key(0))
    for id in 1...20 {
      _ = memory.take(try Self.key(id))
      memory.answer(try Self.key(id), Self.answer("\(id)"))
    }
    #expect(Self.word(memory.take(try Self.key(0))) == "under way")
    #expect(Self.word(memory.take(try Self.key(20))) == "20")
    #expect(Self.word(memory.take(try Self.key(19))) == "19")
    #expect(Self.word(memory.take(try Self.key(1))) == "new")
  }
}
