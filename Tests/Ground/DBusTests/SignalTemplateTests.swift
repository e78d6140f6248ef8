// SPDX-License-Identifier: MIT
import DBus
import Testing

@Suite("Signal template")
struct SignalTemplateTests {
  private func signal(_ bytes: [UInt8]) -> Message {
    Message(signal: "Changed", of: "com.example.Thing", at: "/thing") {
      $0.string("Value")
      $0.bytes(bytes)
      $0.uint32(7)
    }
  }

  @Test("A signal from a template is like one that was built")
  func signalTemplateLike() throws {
    let template = try #require(SignalTemplate(count: 3, signal))
    for bytes: [UInt8] in [[1, 2, 3], [0, 0, 0], [255, 254, 253]] {
      let made = template.signal(with: bytes)
      let message = try #require(made)
      #expect(message.kind == .signal)
      #expect(message.path == "/thing")
      #expect(message.interface == "com.example.Thing")
      #expect(message.member == "Changed")
      #expect(message.serial == 0)
      #expect(message.values == signal(bytes).values)
    }
  }

  @Test("A number of bytes other than the template's does not fit")
  func anotherNumberBytes() throws {
    let template = try #require(SignalTemplate(count: 3, signal))
    #expect(template.count == 3)
    for bytes: [UInt8] in [[1, 2], [1, 2, 3, 4]] {
      let made = template.signal(with: bytes)
      #expect(made == nil)
    }
  }

  @Test("Bytes that are missing or stand twice cannot be exchanged")
  func bytesNoneStand() {
    #expect(SignalTemplate(count: 0, signal) == nil)
    #expect(
      SignalTemplate(count: 2) { bytes in
        Message(signal: "Changed", of: "com.example.Thing", at: "/thing") {
          $0.bytes(bytes)
          $0.bytes(bytes)
        }
      } == nil)
  }
}
