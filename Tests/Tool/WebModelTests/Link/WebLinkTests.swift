// SPDX-License-Identifier: MIT
import Histories
import Testing
import WebModel

@Suite("WebLink")
struct WebLinkTests {
  private static func past(name: String?) -> PastNumbers {
    var history = ChartHistory()
    for (value, second) in [(21.5, 1), (-1e-7, 2)] { history.add(value, at: Double(second) + 0.626505) }
    history.breakLine()
    history.add(22, at: 1_795_247_928.626505)
    return PastNumbers(
      address: "C5:EA:50:00:00:01", name: name, source: "bthome", field: "temperature_celsius",
      first: "1970-01-01T00:00:01.626505Z", last: "2026-11-21T07:58:48.626505Z", buckets: history.buckets)
  }

  @Test("A setup is read as it was written")
  func setup() {
    var setup = WebSetup(host: "::1", port: 8080)
    #expect(WebSetup(line: setup.line) == setup)
    (setup.names, setup.token, setup.session) = (["attic", "a\"b\n"], "secret", "cookie")
    (setup.history, setup.command, setup.version, setup.controls) = (60, "listen", "1.2.3", ["fff1"])
    (setup.awaitsPast, setup.conditions) = (true, ["temperature_celsius > 25 for 5m"])
    #expect(WebSetup(line: setup.line) == setup)
    #expect(setup.line.count { $0 == UInt8(ascii: "\n") } == 1)
    #expect(WebSetup(line: Array("{}".utf8)) == nil)
    #expect(WebSetup(line: Array(#"{"web":"setup","host":"a","port":65536}"#.utf8)) == nil)
  }

  @Test("Messages are read as they were written, and records are none")
  func messages() {
    for message: WebMessage in [
      .listening(port: 8080), .failed(reason: "Address already in use"),
      .write(WebWrite(id: 1, address: "AA", characteristic: "fff1", value: "u8:1\n")),
      .written(id: 1, error: nil),
      .written(id: 2, error: "refused"), .past(Self.past(name: "Garden")), .past(Self.past(name: nil)),
      .pastEnded,
    ] {
      #expect(WebMessage(line: message.line.dropLast()) == message)
    }
    for line in [
      #"{"event":"value"}"#, #"{"web":"setup"}"#, #"{"web":1}"#, "", #"{"web":"written"}"#,
      #"{"web":"past","address":"AA","source":"bthome"}"#,
    ] {
      #expect(WebMessage(line: line.utf8) == nil, "\(line)")
    }
  }
}
