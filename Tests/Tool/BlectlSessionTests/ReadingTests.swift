// SPDX-License-Identifier: MIT
import Testing

@testable import BLECentral
@testable import BlectlArguments
@testable import BlectlSession
@testable import ValueStreams

@Suite("Readings of several values")
struct ReadingTests {
  private func failure(_ code: BLEError.Code, advice: Advice? = nil) -> Reading {
    let error = BLEError(code, during: .scan, "no").advising(advice)
    return .failure(error, CommandError(error, device: "Lamp"), at: .now)
  }

  @Test(
    "The end of a link on which a value requires pairing is no reason of its own, and the hint is about pairing"
  )
  func stalledLink() throws {
    let error = try #require(throws: CommandError.self) {
      try Reading.requireAll(
        [failure(.notPaired), failure(.timedOut, advice: .tryAgain)], of: "Lamp")
    }
    #expect(error.status == .failed)
    #expect(error.hint == "blectl pair Lamp, or add --pair")
    #expect(error.message == "cannot read 2 of 2 values of Lamp")
  }

  @Test("A value that came too late decides the status and the hint of several")
  func late() throws {
    let error = try #require(throws: CommandError.self) {
      try Reading.requireAll([failure(.notPaired), failure(.timedOut)], of: "Lamp")
    }
    #expect(error.status == .timedOut)
    #expect(error.hint?.contains("--timeout") == true)
  }
}
