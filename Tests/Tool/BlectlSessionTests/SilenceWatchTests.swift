// SPDX-License-Identifier: MIT
import Testing

@testable import BlectlSession

@Suite("SilenceWatch")
struct SilenceWatchTests {
  private let start = ContinuousClock.now

  private func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

  @Test("A place where nothing was ever heard is not silent")
  func nothing() {
    var watch = SilenceWatch()
    watch.resume(at: at(0))
    #expect(watch.silence(at: at(100_000)) == nil)
  }

  @Test("A silence of five minutes is noticed once, and its end too")
  func silence() {
    var watch = SilenceWatch()
    let (first, second) = (watch.heard(at: at(0)), watch.heard(at: at(10)))
    #expect(!first && !second)
    #expect(watch.silence(at: at(300)) == nil)
    #expect(watch.silence(at: at(311)) == .seconds(301))
    #expect(watch.silence(at: at(400)) == nil)
    let (end, later) = (watch.heard(at: at(500)), watch.heard(at: at(501)))
    #expect(end && !later)
  }

  @Test("Where devices are often silent, only a silence twice as long counts, and one of an hour always")
  func habits() {
    var watch = SilenceWatch()
    for round in 0..<5 { _ = watch.heard(at: at(600 * round)) }
    #expect(watch.silence(at: at(2400 + 1199)) == nil)
    #expect(watch.silence(at: at(2400 + 1200)) != nil)
    _ = watch.heard(at: at(100_000))
    #expect(watch.silence(at: at(103_599)) == nil)
    #expect(watch.silence(at: at(103_600)) != nil)
  }

  @Test("The time of an outage is no silence")
  func outages() {
    var watch = SilenceWatch()
    _ = watch.heard(at: at(0))
    watch.resume(at: at(5000))
    #expect(watch.silence(at: at(5200)) == nil)
    #expect(watch.silence(at: at(5300)) == .seconds(300))
  }
}
