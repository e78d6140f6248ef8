// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Testing

@Suite("GuessLimit")
struct GuessLimitTests {
  private let start = ContinuousClock.now

  @Test("Ten attempts in a minute, and their network has to wait until the first is a minute old")
  func minute() {
    var guesses = GuessLimit()
    let early = (0..<10).map { number in
      defer { guesses.add(from: "192.0.2.1", at: start + .seconds(number)) }
      return guesses.isReached(from: "192.0.2.1", at: start + .seconds(number))
    }
    #expect(!early.contains(true))
    let late = [59, 60].map { guesses.isReached(from: "192.0.2.1", at: start + .seconds($0)) }
    #expect(late == [true, false])
  }

  @Test("The addresses of an IPv6 network share the limit, as those of IPv4 in both forms do")
  func networks() {
    var guesses = GuessLimit()
    for number in 0..<10 {
      guesses.add(from: "2001:db8:0:1::\(number)", at: start)
      guesses.add(from: number % 2 == 0 ? "192.0.2.1" : "::ffff:192.0.2.1", at: start)
    }
    let answers = [
      "2001:db8:0:1:ffff::1", "2001:db8:0:2::1", "192.0.2.1", "::ffff:192.0.2.1", "::ffff:192.0.2.2",
    ].map { guesses.isReached(from: $0, at: start) }
    #expect(answers == [true, false, true, true, false])
  }

  @Test("A secret that comes again counts once")
  func repeated() {
    var guesses = GuessLimit()
    for _ in 0..<50 { guesses.add([1], from: "192.0.2.1", at: start) }
    let answers = ([2, 3, 4, 5, 6, 7, 8, 9, 10] as [UInt8]).map { number in
      guesses.add([number], from: "192.0.2.1", at: start)
      return guesses.isReached(from: "192.0.2.1", at: start)
    }
    #expect(answers == [Bool](repeating: false, count: 8) + [true])
  }

  @Test("Guesses from addresses without end fill no memory, and the newest are still counted")
  func crowd() {
    var guesses = GuessLimit()
    for number in 0..<5000 { guesses.add([1], from: "\(number)", at: start + .milliseconds(number)) }
    #expect(guesses.networks == GuessLimit.mostNetworks)
    for number in 0..<10 { guesses.add([UInt8(number)], from: "4999", at: start + .seconds(5)) }
    let isReached = guesses.isReached(from: "4999", at: start + .seconds(5))
    #expect(isReached)
  }
}
