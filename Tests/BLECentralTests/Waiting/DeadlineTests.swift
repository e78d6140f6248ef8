// SPDX-License-Identifier: MIT
import Testing

@testable import BLECentral

@Suite("Deadline")
struct DeadlineTests {
  @Test("without a limit it is never over, and nothing counts down")
  func never() {
    for deadline in [Deadline.never, Deadline(after: nil)] {
      #expect(deadline.instant == nil)
      #expect(!deadline.isOver)
      #expect(deadline.remaining == nil)
    }
  }

  @Test("what is left is never less than nothing")
  func past() {
    let deadline = Deadline(instant: .now - .seconds(5))
    #expect(deadline.isOver)
    #expect(deadline.remaining == .zero)
    #expect(Deadline(after: .zero).isOver)
  }

  @Test("what is left is at most what was given")
  func future() throws {
    let deadline = Deadline(after: .seconds(3600))
    #expect(!deadline.isOver)
    let remaining = try #require(deadline.remaining)
    #expect(remaining > .zero && remaining <= .seconds(3600))
  }

  @Test("a part of the time ends no later than the whole")
  func within() throws {
    let whole = Deadline(after: .seconds(60))
    #expect(whole.within(.seconds(3600)).instant == whole.instant)
    let part = try #require(whole.within(.seconds(1)).instant)
    #expect(part < (try #require(whole.instant)))
    #expect(Deadline.never.within(.seconds(1)).instant != nil)
  }
}
