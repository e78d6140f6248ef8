// SPDX-License-Identifier: MIT
import Testing

@testable import BLECentral
@testable import BlectlCommands

@Suite("Gaps")
struct GapTests {
  private static let policy = ReconnectPolicy(firstDelay: .seconds(1), longestDelay: .seconds(60))

  @Test("Failures before the first subscription count, and are no news")
  func first() {
    var gap = Gap()
    for failure in 1...4 {
      let isNews = gap.begin(at: Moment())
      #expect(!isNews)
      let pause = gap.pause(Self.policy)
      let longest = Duration.seconds(1 << (failure - 1))
      #expect(pause >= longest / 2 && pause <= longest)
    }
    #expect(!gap.isHealing)
    let seconds = gap.end()
    #expect(seconds == nil)
  }

  @Test("A loss is news, and is healed at once; failures after it count")
  func later() {
    var gap = Gap()
    let first = gap.end()
    let isNews = gap.begin(at: Moment())
    #expect(first == nil && isNews)
    #expect(gap.isHealing)
    #expect(gap.pause(Self.policy) == .zero)
    let isNewsAgain = gap.begin(at: Moment())
    #expect(!isNewsAgain)
    #expect(gap.pause(Self.policy) > .zero)
    let second = gap.end()
    #expect(second != nil)
    let isNewsLater = gap.begin(at: Moment())
    #expect(isNewsLater)
  }
}
