// SPDX-License-Identifier: MIT
import JSON
import Testing

@testable import WebServer

@Suite("What the page says of its reception")
struct PageReceptionTests: PageModelSuite {
  @Test("An outage of the adapter is what the page says until it is over")
  func outages() {
    var model = model(#"{"event":"started","time":"2026-11-21T05:11:02Z","adapter":"hci0"}"#)
    #expect(model.listening == .listening(adapter: "hci0"))
    model.take(
      #"{"event":"interrupted","time":"2026-11-21T05:12:40Z","reason":"the adapter hci0 is off"}"#)
    #expect(
      model.listening == .interrupted(reason: "the adapter hci0 is off", since: "2026-11-21T05:12:40Z"))
    model.take(
      #"{"event":"resumed","time":"2026-11-21T05:12:45Z","adapter":"hci0","gap_seconds":4.3}"#)
    #expect(model.listening == .listening(adapter: "hci0"))
    model.take(#"{"event":"recovering","time":"2026-11-21T05:13:40Z","reason":"nothing is heard"}"#)
    #expect(!model.canHear)
    // What the steps of a recovery bring back does not hear yet.
    model.take(#"{"event":"resumed","time":"2026-11-21T05:13:42Z","adapter":"hci0"}"#)
    #expect(!model.canHear)
    model.take(#"{"event":"recovered","time":"2026-11-21T05:13:45Z"}"#)
    #expect(model.listening == .listening(adapter: "hci0"))
  }

  @Test("An adapter that hears nothing any more, or is missing, cannot hear, with a recovery or without")
  func silence() {
    var model = model(#"{"event":"started","time":"2026-11-21T05:11:02Z","adapter":"hci0"}"#)
    model.take(#"{"event":"silent","time":"2026-11-21T05:21:02Z","reason":"nothing was heard for 5m"}"#)
    #expect(
      model.listening == .interrupted(reason: "nothing was heard for 5m", since: "2026-11-21T05:21:02Z"))
    model.take(#"{"event":"interrupted","time":"2026-11-21T05:22:02Z","reason":"the bus is gone"}"#)
    #expect(model.listening == .interrupted(reason: "the bus is gone", since: "2026-11-21T05:22:02Z"))
    model.take(#"{"event":"resumed","time":"2026-11-21T05:23:02Z","adapter":"hci0"}"#)
    #expect(!model.canHear)
    model.take(#"{"event":"heard","time":"2026-11-21T05:24:02Z"}"#)
    #expect(model.listening == .listening(adapter: "hci0"))
    // A recovery of a command that does not say whether it listens leaves that to its links.
    var subscribing = self.model(#"{"event":"connected","time":"2026-11-21T05:11:00Z","address":"AA"}"#)
    for event in ["recovering", "recovered"] {
      subscribing.take(#"{"event":"\#(event)","time":"2026-11-21T05:12:00Z","step":"power_cycle"}"#)
      #expect(subscribing.canHear == (event == "recovered"))
    }
    subscribing.take(#"{"event":"disconnected","time":"2026-11-21T05:13:00Z","address":"AA"}"#)
    #expect(!subscribing.canHear)
  }

  @Test("Of several hosts, one that listens is enough, and an outage breaks only its own lines")
  func receptions() throws {
    func record(_ event: String, _ host: String) -> String {
      #"{"event":"\#(event)","time":"2026-11-21T05:11:02Z","host":"\#(host)","adapter":"hci0","reason":"off"}"#
    }
    var model = model(
      record("started", "attic"), record("started", "cellar"), value(1, "21.5", host: "attic"),
      value(1, "21.5", host: "cellar"), record("interrupted", "attic"))
    #expect(model.listening == .listening(adapter: "hci0"))
    model.take(value(3, "21.6", host: "attic"))
    model.take(value(3, "21.6", host: "cellar"))
    var query = ValuesQuery()
    query.field = "temperature_celsius"
    #expect(try series(model, query).map { $0["points"]?.elements?.count } == [3, 2])
    model.take(record("interrupted", "cellar"))
    #expect(!model.canHear)
    model.take(record("resumed", "attic"))
    #expect(model.canHear)
  }

  @Test(
    "A command that does not say whether it listens can hear once it has heard a device, or while a link is open"
  )
  func hearing() {
    func record(_ event: String) -> String {
      #"{"event":"\#(event)","time":"2026-11-21T05:11:00Z","address":"AA","rssi":-50,"connected":false}"#
    }
    var model = model()
    #expect(!model.canHear)
    model.take(record("found"))
    #expect(model.canHear)
    model.take(record("connected"))
    #expect(model.canHear)
    model.take(record("disconnected"))
    #expect(!model.canHear)
  }
}
