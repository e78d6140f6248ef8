// SPDX-License-Identifier: MIT
import Testing

@testable import BlectlSession

/// What controllers and the kernel say of links.
@Suite("Links")
struct LinkTests {
  @Test("Events of links are parsed, with both forms of the event of a new one")
  func events() {
    let parameters: [UInt8] = [0x18, 0x00, 0x02, 0x00, 0x2a, 0x00]
    let expected = LinkParameters(interval: 24, latency: 2, timeout: 42)
    #expect(expected.intervalMilliseconds == 30 && expected.timeoutMilliseconds == 420)
    let start: [UInt8] = [0x00, 0x40, 0x00]
    let short = [0x01] + start + [UInt8](repeating: 7, count: 8) + parameters + [0]
    let long = [0x0a] + start + [UInt8](repeating: 7, count: 20) + parameters + [0]
    for body in [short, long] {
      #expect(ControllerEvent([0x04, 0x3e, UInt8(body.count)] + body) == .opened(handle: 0x40, expected))
    }
    let update: [UInt8] = [0x03, 0x3b, 0x40, 0x00] + parameters
    #expect(
      ControllerEvent([0x04, 0x3e, UInt8(update.count)] + update)
        == .updated(handle: 0x40, status: 0x3b, expected))
    #expect(
      ControllerEvent([0x04, 0x3e, 6, 0x0c, 0, 0x40, 0, 2, 1])
        == .phys(handle: 0x40, status: 0, tx: 2, rx: 1))
    #expect(
      ControllerEvent([0x04, 0x0e, 7, 1, 0x05, 0x14, 0, 0x40, 0, 0xc4])
        == .completed(opcode: 0x1405, [0, 0x40, 0, 0xc4]))
    #expect(ControllerEvent([0x04, 0x0f, 4, 0x01, 1, 0x32, 0x20]) == .accepted(opcode: 0x2032, status: 1))
    #expect(ControllerEvent([0x04, 0x05, 4, 0, 0x40, 0, 0x13]) == .closed(handle: 0x40))
  }

  @Test("Short, foreign and failed events are passed over, wherever they end")
  func brokenEvents() {
    let event: [UInt8] = [0x04, 0x3e, 10, 0x03, 0, 0x40, 0, 24, 0, 0, 0, 42, 0]
    #expect(ControllerEvent(event) != nil)
    for count in event.indices { #expect(ControllerEvent(Array(event[..<count])) == nil) }
    #expect(ControllerEvent([0x02] + event.dropFirst()) == nil)
    #expect(ControllerEvent([0x04, 0xff, 0]) == nil)
    #expect(ControllerEvent([0x04, 0x05, 4, 0x0c, 0x40, 0, 0x13]) == nil)
  }

  @Test("What the specification forbids is refused before anything is sent")
  func impossibleParameters() {
    #expect(WantedParameters(interval: .milliseconds(7)).problem?.contains("7.5ms and 4s") == true)
    #expect(
      WantedParameters(interval: .milliseconds(15), latency: 500).problem?.contains("0 and 499") == true)
    #expect(WantedParameters(timeout: .seconds(33)).problem?.contains("100ms and 32s") == true)
    #expect(
      WantedParameters(interval: .seconds(1), latency: 3, timeout: .seconds(8)).problem?.contains("2 ×")
        == true)
    #expect(WantedParameters(interval: .seconds(1), latency: 3, timeout: .seconds(9)).problem == nil)
    #expect(WantedParameters().isEmpty && WantedParameters().problem == nil)
  }

  @Test("What is not wanted stays, and the timeout is long enough for the rest")
  func chosenParameters() {
    let former = LinkParameters(interval: 24, latency: 0, timeout: 42)
    #expect(WantedParameters(latency: 4).parameters(instead: nil) == nil)
    #expect(
      WantedParameters(interval: .milliseconds(15)).parameters(instead: nil)
        == LinkParameters(interval: 12, latency: 0, timeout: 400))
    #expect(
      WantedParameters(interval: .seconds(1), latency: 4).parameters(instead: former)
        == LinkParameters(interval: 800, latency: 4, timeout: 1500))
    #expect(
      WantedParameters(timeout: .seconds(4)).parameters(instead: former)
        == LinkParameters(interval: 24, latency: 0, timeout: 400))
  }

  @Test("Selecting PHYs leaves BR/EDR, and what cannot be chosen, as they are")
  func phys() throws {
    // LE 1M and BR/EDR cannot be chosen, LE 2M and Coded can.
    let choice = try #require(
      AdapterPHYs.Choice([0xff, 0x7f, 0, 0, 0, 0x78, 0, 0, 0xff, 0x07, 0, 0]))
    #expect(choice.supported == [.oneM, .twoM, .coded])
    #expect(choice.selected == [.oneM])
    #expect(choice.bits(selecting: [.twoM]) == 0x1fff)
    #expect(choice.bits(selecting: [.oneM, .coded]) == 0x67ff)
    #expect(AdapterPHYs.Choice([1, 2, 3]) == nil)
  }

  @Test("A missing capability is named, with the command that grants it")
  func capability() {
    let failure = RadioFailure.capability(.raw)
    #expect(failure.reason == "needs CAP_NET_RAW")
    #expect(failure.hint?.hasPrefix("sudo setcap cap_net_raw,cap_net_admin+ep /") == true)
    #expect(RadioFailure.refused(0x3b).reason.contains("unacceptable connection parameters"))
    #expect(RadioFailure.elsewhere.hint == nil)
  }
}
