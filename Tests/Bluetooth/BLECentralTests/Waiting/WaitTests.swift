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

@Suite("Waiting for an operation", .timeLimit(.minutes(1)))
struct OperationWaitTests {
  /// Waits where a manager does: on the loop.
  private func value(_ promise: Promise<Int>, until deadline: Deadline = .never) -> Task<Int?, any Error> {
    Task(executorPreference: EventLoop.shared) {
      try await promise.value(for: Operation(.scan, until: deadline), on: .shared)
    }
  }

  @Test("A wait that times out gives nothing, and the next one a value that came meanwhile or comes later")
  func repeated() async throws {
    let promise = Promise<Int>()
    #expect(try await value(promise, until: Deadline(after: .zero)).value == nil)
    let later = value(promise)
    EventLoop.shared.submit { promise.fulfil(7) }
    #expect(try await later.value == 7)
    #expect(try await value(promise, until: Deadline(after: .zero)).value == 7)
  }

  @Test("A task that is cancelled stops waiting, with an error that names the action")
  func cancellation() async {
    let task = value(Promise())
    task.cancel()
    let error = await #expect(throws: BLEError.self) { try await task.value }
    #expect(error?.description == "cannot scan: cancelled")
  }
}
