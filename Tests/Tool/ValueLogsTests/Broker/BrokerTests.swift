// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BLECentral
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

  @Test("Events of a served device stand under the central, and the characteristic if there is one")
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

@Suite("Notices to a broker")
struct BrokerNoticesTests {
  private func texts(_ notices: BrokerNotices) -> [String] {
    notices.messages.map { "\($0.topic) \(String(decoding: $0.payload, as: UTF8.self))" }
  }

  private let sensor = BrokerMessage.retained("homeassistant/x", Array("{}".utf8))

  @Test("A log is online from its greeting on, and offline at its end, after everything that waits")
  func states() {
    var notices = BrokerNotices(statusTopic: "ble/status")
    notices.greet()
    notices.announce([sensor])
    notices.end()
    #expect(texts(notices) == ["ble/status online", "homeassistant/x {}", "ble/status offline"])
    #expect(notices.messages.allSatisfy { $0.isRetained })
  }

  private func online(_ notices: inout BrokerNotices, isRetained: Bool = false) -> BrokerNotices.News {
    notices.receive(BrokerNotices.online, isRetained: isRetained)
  }

  private func offline(_ notices: inout BrokerNotices, isRetained: Bool = false) -> BrokerNotices.News {
    notices.receive(BrokerNotices.offline, isRetained: isRetained)
  }

  private func greeted() -> BrokerNotices {
    var notices = BrokerNotices(statusTopic: "ble/status")
    notices.greet()
    notices.removeFirst()
    return notices
  }

  @Test("A log that another process has called offline is online again, and says that the topic is shared")
  func overwritten() {
    var notices = greeted()
    let (old, own, foreign) = (offline(&notices, isRetained: true), online(&notices), offline(&notices))
    #expect(old == .none && own == .none)
    #expect(foreign == .overwritten(isOthers: true))
    #expect(texts(notices) == ["ble/status online"])
    // Once is enough, and what comes back is its own.
    let again = offline(&notices)
    #expect(again == .overwritten(isOthers: true))
    #expect(texts(notices) == ["ble/status online"])
    notices.removeFirst()
    let echo = online(&notices)
    #expect(echo == .none && notices.messages.isEmpty)
  }

  @Test("A log whose topic is in use at its start, or is used later, says so; its own end is not corrected")
  func shared() {
    var notices = greeted()
    let before = online(&notices, isRetained: true)
    #expect(before == .shared && !notices.isToldBack)
    let own = online(&notices)
    #expect(own == .none && notices.isToldBack)
    let later = online(&notices)
    #expect(later == .shared)
    notices.end()
    notices.removeFirst()
    let end = offline(&notices)
    #expect(end == .none && notices.messages.isEmpty)
  }

  @Test("The will of a lost connection is corrected over the next one, where nobody else is suspected")
  func ownWill() {
    var notices = greeted()
    notices.greet()
    notices.removeFirst()
    #expect(!notices.isToldBack)
    let (former, will) = (online(&notices, isRetained: true), offline(&notices))
    #expect(former == .none && will == .overwritten(isOthers: false))
    #expect(texts(notices) == ["ble/status online"])
  }

  @Test("A log that ends before its first greeting, or is greeted again at its end, is offline and stays so")
  func lateGreeting() {
    var early = BrokerNotices(statusTopic: "ble/status")
    early.end()
    early.greet()
    #expect(texts(early) == ["ble/status offline"])
    var again = BrokerNotices(statusTopic: "ble/status")
    again.greet()
    again.removeFirst()
    again.end()
    again.removeFirst()
    again.greet()
    #expect(texts(again) == ["ble/status offline"])
  }
}
