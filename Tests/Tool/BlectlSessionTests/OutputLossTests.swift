// SPDX-License-Identifier: MIT
import Testing

@testable import BlectlArguments
@testable import BlectlSession
@testable import ValueStreams

@Suite("Losses of outputs")
struct OutputLossTests {
  @Test(
    "Records of a write that has not returned are reported, but not as lost for certain",
    arguments: [
      (0, 0, nil), (1, 0, "1 record was not written to a.csv"), (7, 0, "7 records were not written to a.csv"),
      (0, 1, "1 record may not have been written to a.csv"),
      (0, 3, "3 records may not have been written to a.csv"),
      (7, 3, "7 records were not written to a.csv; 3 more may not have been"),
    ] as [(Int, Int, String?)])
  func losses(lost: Int, uncertain: Int, words: String?) {
    #expect(OutputWorker.Outcome(lost: lost, uncertain: uncertain).loss(on: "a.csv") == words)
  }
}
