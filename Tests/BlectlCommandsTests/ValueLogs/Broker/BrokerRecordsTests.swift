// SPDX-License-Identifier: MIT
import Testing

@testable import BLECentral
@testable import BlectlCommands
@testable import JSON
@testable import TerminalOutput
@testable import ValueLogs
@testable import ValueStreams

@Suite("Records as messages")
struct BrokerRecordsTests {
  private struct Remark: Record {
    func write(to json: inout JSONWriter) { json.field("event", "remark") }
  }

  private func messages(of event: StreamEvent) -> [BrokerMessage] {
    var records = BrokerRecords(topic: "home/attic")
    return records.messages(of: event)
  }

  @Test("Each value is a message of its own: the line of --json, without its end")
  func values() {
    let event = SampleStream.values([[0, 60], [0, 61]])
    var lines: [UInt8] = []
    var json = EventJSON()
    json.append(event, to: &lines)
    let messages = messages(of: event)
    #expect(
      messages.map { String(decoding: $0.payload, as: UTF8.self) + "\n" }.joined().utf8.elementsEqual(lines))
    #expect(messages.map(\.topic) == Array(repeating: "home/attic/F0:F1:F2:F3:F4:F5/2a37", count: 2))
    #expect(messages.allSatisfy { !$0.isRetained })
  }

  @Test("The topic of a UUID without a short form has the long one")
  func longUUID() throws {
    let uuid = try #require(BluetoothUUID("12345678-1234-5678-1234-56789abcdef0"))
    let topic = messages(of: SampleStream.values([[1]], uuid: uuid)).first?.topic
    #expect(topic == "home/attic/F0:F1:F2:F3:F4:F5/12345678-1234-5678-1234-56789abcdef0")
  }

  @Test("Links stand under the device, drops under the topic itself")
  func links() {
    #expect(messages(of: SampleStream.lost("gone")).map(\.topic) == ["home/attic/F0:F1:F2:F3:F4:F5"])
    let dropped = StreamEvent.dropped(DroppedRecord(time: .now, count: 3))
    #expect(messages(of: dropped).map(\.topic) == ["home/attic"])
  }

  @Test("What happens to a served device stands under the central, and the characteristic if there is one")
  func served() {
    #expect(messages(of: SampleStream.served(.connected)).map(\.topic) == ["home/attic/F0:F1:F2:F3:F4:F5"])
    #expect(
      messages(of: SampleStream.served(.read, [60])).map(\.topic) == ["home/attic/F0:F1:F2:F3:F4:F5/2a19"])
  }

  @Test("Records of scan and monitor stand under what they are about")
  func records() {
    let subjects: [(LoggedRecord.Subject, String)] = [
      (.device(SampleStream.address), "home/attic/F0:F1:F2:F3:F4:F5"), (.adapter("hci0"), "home/attic/hci0"),
      (.everything, "home/attic"),
      (.value(SampleStream.origin(), [0, 60]), "home/attic/F0:F1:F2:F3:F4:F5/2a37"),
    ]
    for (subject, topic) in subjects {
      let sent = messages(of: .record(LoggedRecord(Remark(), about: subject)))
      #expect(sent.map(\.topic) == [topic])
      #expect(sent.map { String(decoding: $0.payload, as: UTF8.self) } == [#"{"event":"remark"}"#])
    }
  }
}
