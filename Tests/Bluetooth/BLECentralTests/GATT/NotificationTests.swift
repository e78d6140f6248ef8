// SPDX-License-Identifier: MIT
import DBus
import TestSupport
import Testing

@testable import BLECentral

@Suite("EchoFilter")
struct EchoFilterTests {
  /// The events of one characteristic, one read at a time: BlueZ sends the echo directly before the reply.
  enum Step: CaseIterable {
    case notification, readBegins, readSucceeds, readFails
  }

  /// Every course of at most `length` steps that can happen.
  private static func courses(length: Int) -> [[Step]] {
    var courses: [[Step]] = []
    func extend(_ course: [Step], isReading: Bool) {
      courses.append(course)
      guard course.count < length else { return }
      for step in Step.allCases {
        switch step {
        case .notification: extend(course + [step], isReading: isReading)
        case .readBegins: if !isReading { extend(course + [step], isReading: true) }
        case .readSucceeds, .readFails: if isReading { extend(course + [step], isReading: false) }
        }
      }
    }
    extend([], isReading: false)
    return courses
  }

  @Test(
    "In every course of reads and notifications, the notifications come through, in order, and no echo does")
  func everyCourse() {
    let courses = Self.courses(length: 9)
    #expect(courses.count > 1000)
    for course in courses {
      var filter = EchoFilter<String>()
      var sent: [String] = []
      var delivered: [String] = []
      var isReading = false
      for (number, step) in course.enumerated() {
        switch step {
        case .notification:
          sent.append("\(number)")
          if let value = filter.signalled("\(number)") { delivered.append(value) }
        case .readBegins:
          filter.readBegan()
          isReading = true
        case .readSucceeds:
          if let value = filter.signalled("echo") { delivered.append(value) }
          if let value = filter.readEnded(isSuccess: true) { delivered.append(value) }
          isReading = false
        case .readFails:
          if let value = filter.readEnded(isSuccess: false) { delivered.append(value) }
          isReading = false
        }
        // Nothing is held back unless a read is under way, and then only the newest.
        #expect(delivered == sent || (isReading && delivered == sent.dropLast()), "\(course)")
      }
    }
  }

  @Test("An echo with the same bytes as a notification takes the place of neither")
  func sameBytes() {
    var filter = EchoFilter<[UInt8]>()
    filter.readBegan()
    #expect(filter.signalled([1]) == nil)
    #expect(filter.signalled([1]) == [1])
    #expect(filter.readEnded(isSuccess: true) == nil)
    #expect(filter.signalled([1]) == [1])
  }
}

@Suite("ReceivedValue")
struct ReceivedValueTests {
  @Test(
    "A notification is printed as its bytes between angle brackets",
    arguments: [([0x9f, 0x54, 0x36], "<9f5436>"), ([0x00], "<00>"), ([], "<>")] as [([UInt8], String)])
  func description(value: [UInt8], text: String) {
    #expect(ReceivedValue(value, at: .now).description == text)
  }

  @Test("The time of a notification is printed in UTC")
  func time() {
    let time = Timestamp(seconds: 1_493_094_881, nanoseconds: 876_974_000)
    #expect(time.description == "2017-04-25T04:34:41.876974Z")
  }
}

/// An `org.bluez` that does not answer as BlueZ does.
@Suite("An odd service")
struct OddServiceTests {
  /// Answers the next GetManagedObjects.
  private static func answer(_ bus: ScriptedBus, _ body: (inout MessageWriter) -> Void) {
    while let call = bus.next() {
      if call.member == "GetManagedObjects" {
        return bus.send(Message(replyTo: call, body), from: FakeBlueZ.name)
      }
    }
  }

  private static func ownerChanged(_ old: String, _ new: String) -> Message {
    Message(signal: "NameOwnerChanged", of: BusDriver.interface, at: BusDriver.path) { writer in
      for text in ["org.bluez", old, new] { writer.string(text) }
    }
  }

  @Test(
    "A service that is not BlueZ is ignored, and asked again when it ends and comes back",
    .timeLimit(.minutes(1)))
  func askedAgain() async throws {
    let bus = try ScriptedBus.start { bus in
      guard bus.welcome() else { return }
      Self.answer(bus) { $0.string("no") }
      bus.send(
        FakeBlueZ.changed(FakeBlueZ.adapterPath, of: "org.bluez.Adapter1", [("Powered", .boolean(true))]),
        from: FakeBlueZ.name)
      bus.send(Self.ownerChanged(FakeBlueZ.name, ""), from: BusDriver.name)
      bus.send(Self.ownerChanged("", FakeBlueZ.name), from: BusDriver.name)
      Self.answer(bus) { $0.array(of: "{oa{sa{sv}}}") { _ in } }
      while bus.next() != nil {}
    }
    let central = try await CentralManager(bus: .address(bus.address))
    for await state in await central.stateUpdates() where state == .unsupported { break }
    #expect(await central.adapters.isEmpty)
  }
}
