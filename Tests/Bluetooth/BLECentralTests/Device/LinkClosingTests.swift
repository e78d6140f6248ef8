// SPDX-License-Identifier: MIT
internal import Testing

@testable internal import BLECentral

@Suite("LinkClosing")
struct LinkClosingTests {
  private func pauses(_ closing: LinkClosing, _ count: Int) -> [LinkClosing.Step] {
    var closing = closing
    return (0..<count).map { _ in closing.refused(left: nil) }
  }

  @Test("The pauses between refused calls double, up to the longest one")
  func pauses() {
    let steps = pauses(LinkClosing(), 9)
    #expect(steps.prefix(3) == [.later(.milliseconds(250)), .later(.milliseconds(500)), .later(.seconds(1))])
    #expect(steps.suffix(2) == [.later(.seconds(30)), .later(.seconds(30))])
    #expect(
      pauses(LinkClosing(longestPause: .seconds(1)), 5).suffix(2) == [
        .later(.seconds(1)), .later(.seconds(1)),
      ])
  }

  @Test("A task calls again itself only if its time outlasts the pause")
  func time() {
    var closing = LinkClosing()
    let first = closing.refused(left: .milliseconds(251))
    let second = closing.refused(left: .milliseconds(500))
    #expect(first == .again(.milliseconds(250)) && second == .later(.milliseconds(500)))
  }

  @Test("A link is closed from the wish to the end, and a repeated wish does not begin anew")
  func wish() {
    var closing = LinkClosing()
    #expect(!closing.isWanted && !closing.isRefused)
    closing.begin()
    #expect(closing.isWanted && !closing.isRefused)
    _ = closing.refused(left: nil)
    closing.begin()
    #expect(closing.isWanted && closing.isRefused)
    closing.end()
    #expect(!closing.isWanted && !closing.isRefused)
  }
}
