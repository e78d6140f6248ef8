// SPDX-License-Identifier: MIT
internal import AsyncIO
import DBus
import Glibc
import Testing

@testable import BLECentral
@testable import BlectlSession

@Suite("ChildCommand")
struct ChildCommandTests {
  @Test(
    "The exit status or the signal that ended a command is known",
    arguments: [
      ("exit 0", ChildProcess.Ending.exited(0)), ("exit 200", .exited(200)),
      ("kill -9 $$", .signalled(SIGKILL)),
    ])
  func endings(command: String, ending: ChildProcess.Ending) async throws {
    for group in [ProcessStart.Group.shared, .own] {
      let child = try ChildCommand(["/bin/sh", "-c", command], environment: [:], group: group)
      #expect(try await child.wait(on: .shared) == ending)
    }
  }
}

@Suite("Gaps")
struct GapTests {
  private static let policy = ReconnectPolicy(firstDelay: .seconds(1), longestDelay: .seconds(60))

  @Test("Failures before the first subscription count, and are not reported")
  func first() {
    var gap = LinkGap()
    for failure in 1...4 {
      let isNews = gap.begin(at: Moment())
      #expect(!isNews)
      let pause = gap.pause(Self.policy)
      let longest = Duration.seconds(1 << (failure - 1))
      #expect(pause >= longest / 2 && pause <= longest)
    }
    #expect(!gap.isHealing)
    let seconds = gap.end(at: Moment())
    #expect(seconds == nil)
  }

  @Test(
    "Without a longest pause there is still a pause", arguments: [Duration.zero, .milliseconds(1)])
  func shortest(longest: Duration) {
    let policy = ReconnectPolicy(longestDelay: longest)
    for failures in [1, 2, 100] { #expect(policy.delay(after: failures) >= .milliseconds(100)) }
  }

  @Test("A loss is reported, and retried at once; later failures count")
  func later() {
    var gap = LinkGap()
    let first = gap.end(at: Moment())
    let loss = Moment()
    let isNews = gap.begin(at: loss)
    #expect(first == nil && isNews)
    #expect(gap.isHealing)
    #expect(gap.pause(Self.policy) == .zero)
    let isNewsAgain = gap.begin(at: Moment())
    #expect(!isNewsAgain)
    #expect(gap.pause(Self.policy) > .zero)
    let second = gap.end(at: Moment(time: .now, instant: loss.instant + .milliseconds(2500)))
    #expect(second == 2.5)
    let isNewsLater = gap.begin(at: Moment())
    #expect(isNewsLater)
  }
}
