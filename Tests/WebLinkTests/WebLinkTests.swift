// SPDX-License-Identifier: MIT
import Testing
import WebLink

@Suite("WebLink")
struct WebLinkTests {
  @Test("A setup is read as it was written")
  func setup() {
    var setup = WebSetup(host: "::1", port: 8080)
    #expect(WebSetup(line: setup.line) == setup)
    (setup.names, setup.token, setup.session) = (["attic", "a\"b\n"], "secret", "cookie")
    (setup.history, setup.command, setup.version, setup.controls) = (60, "listen", "1.2.3", ["fff1"])
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
      .written(id: 2, error: "refused"),
    ] {
      #expect(WebMessage(line: message.line.dropLast()) == message)
    }
    for line in [#"{"event":"value"}"#, #"{"web":"setup"}"#, #"{"web":1}"#, "", #"{"web":"written"}"#] {
      #expect(WebMessage(line: line.utf8) == nil, "\(line)")
    }
  }
}
