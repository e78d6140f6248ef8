// SPDX-License-Identifier: MIT
import AsyncIO
import BlueZClient
import Testing

@testable import BLECentral

@Suite("Conditions")
struct ConditionsTests {
  @Test("A waiter is asked at every look until it is content, or withdrawn")
  func looking() {
    let log = Lock<[String]>([])
    var conditions = Conditions()
    _ = conditions.add { model, _ in
      log.withLock { $0.append("first") }
      return !model.devices.isEmpty
    }
    let second = conditions.add { _, _ in
      log.withLock { $0.append("second") }
      return false
    }
    var model = ObjectModel()
    conditions.look(at: model, outage: nil)
    model.devices["/org/bluez/hci0/dev_1"] = DeviceState(path: "/org/bluez/hci0/dev_1")
    conditions.look(at: model, outage: nil)
    conditions.look(at: model, outage: nil)
    conditions.remove(second)
    conditions.look(at: model, outage: nil)
    #expect(log.withLock { $0 } == ["first", "second", "first", "second", "second"])
  }

  @Test("A waiter learns of an outage")
  func outage() {
    let seen = Lock<BLEError.Code?>(nil)
    var conditions = Conditions()
    _ = conditions.add { _, outage in
      seen.withLock { $0 = outage?.code }
      return true
    }
    conditions.look(
      at: ObjectModel(), outage: BLEError(.serviceUnavailable, during: .continue, "gone"))
    #expect(seen.withLock { $0 } == .serviceUnavailable)
  }
}

@Suite("Answer")
struct AnswerTests {
  @Test("A wait that times out gives nothing, and the next one a value that came meanwhile or comes later")
  func repeated() async throws {
    try await Task(executorPreference: EventLoop.shared) { () async throws in
      let (answer, loop) = (Answer<Int>(), EventLoop.shared)
      let impatient = Operation(.continue, timeout: .zero)
      #expect(try await answer.value(for: impatient, on: loop) == nil)
      _ = loop.schedule(at: LoopClock.now + .milliseconds(1)) { answer.fulfil(7) }
      #expect(try await answer.value(for: Operation(.continue, timeout: nil), on: loop) == 7)
      #expect(try await answer.value(for: impatient, on: loop) == 7)
    }.value
  }
}

@Suite("Deadline")
struct DeadlineTests {
  @Test("A deadline without a limit is never over, and does not count down")
  func never() {
    for deadline in [Deadline.never, Deadline(after: nil)] {
      #expect(deadline.instant == nil)
      #expect(!deadline.isOver)
      #expect(deadline.remaining == nil)
    }
  }

  @Test("The remaining time is never negative")
  func past() {
    let deadline = Deadline(instant: .now - .seconds(5))
    #expect(deadline.isOver)
    #expect(deadline.remaining == .zero)
    #expect(Deadline(after: .zero).isOver)
  }

  @Test("The remaining time is at most the time given")
  func future() throws {
    let deadline = Deadline(after: .seconds(3600))
    #expect(!deadline.isOver)
    let remaining = try #require(deadline.remaining)
    #expect(remaining > .zero && remaining <= .seconds(3600))
  }

  @Test("A part of the time ends no later than the whole")
  func within() throws {
    let whole = Deadline(after: .seconds(60))
    #expect(whole.within(.seconds(3600)).instant == whole.instant)
    let part = try #require(whole.within(.seconds(1)).instant)
    #expect(part < (try #require(whole.instant)))
    #expect(Deadline.never.within(.seconds(1)).instant != nil)
  }
}

@Suite("Wait", .timeLimit(.minutes(1)))
struct WaitTests {
  /// Waits where a manager does: on the loop.
  private func value(_ wait: Wait<Int>, until deadline: Deadline = .never) -> Task<Int?, any Error> {
    Task(executorPreference: EventLoop.shared) {
      try await wait.value(for: Operation(.scan, until: deadline), on: .shared)
    }
  }

  @Test("The first value ends a wait")
  func value() async throws {
    let wait = Wait<Int>()
    let task = value(wait)
    wait.fulfil(1)
    wait.fulfil(2)
    #expect(try await task.value == 1)
  }

  @Test("A deadline ends a wait without a value")
  func deadline() async throws {
    #expect(try await value(Wait(), until: Deadline(after: .zero)).value == nil)
  }

  @Test("A task that is cancelled stops waiting, with an error that names the action")
  func cancellation() async {
    let task = value(Wait())
    task.cancel()
    let error = await #expect(throws: BLEError.self) { try await task.value }
    #expect(error?.description == "cannot scan: cancelled")
  }
}
