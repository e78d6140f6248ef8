// SPDX-License-Identifier: MIT
import AsyncIO
import Testing

@testable import Doctor

@Suite("Attempts to connect")
struct AttemptLogTests {
  @Test("An attempt without an outcome is not counted among equal ones")
  func unfinished() {
    let said = Lock<[String]>([])
    let log = AttemptLog(reportingTo: StageLog { stage in said.withLock { $0.append(stage.message) } })
    for _ in 1...3 {
      log.note(.calling)
      log.note(.failed(BLEError(.connectionFailed, during: .scan, "no")))
    }
    log.note(.calling)
    log.failed()
    let texts = said.withLock(\.self)
    #expect(texts.count == 2)
    #expect(texts.last == "attempts 2 to 3: the same")
  }
}
