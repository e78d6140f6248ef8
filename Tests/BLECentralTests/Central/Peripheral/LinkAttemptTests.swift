// SPDX-License-Identifier: MIT
import Testing

@testable import BLECentral

@Suite("LinkAttempt")
struct LinkAttemptTests {
  @Test("the pauses between attempts double, up to a second")
  func delays() {
    var attempt = LinkAttempt()
    let delays = (0..<8).map { _ in attempt.nextDelay() }
    #expect(
      delays == [.milliseconds(250), .milliseconds(500)] + Array(repeating: .seconds(1), count: 6))
  }

  @Test("missing services are worth one more connection, not two")
  func services() {
    var attempt = LinkAttempt()
    let isFirstAllowed = attempt.mayRetryForServices()
    let isSecondAllowed = attempt.mayRetryForServices()
    #expect(isFirstAllowed)
    #expect(!isSecondAllowed)
  }
}
