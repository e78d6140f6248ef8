// SPDX-License-Identifier: MIT
import BLEFormats
import Testing

@testable import BLEUpdate

@Suite("SMPFailure")
struct SMPFailureTests {
  @Test("Errors of both versions of SMP are found; rc 0 and empty answers are none")
  func found() {
    #expect(SMPFailure(in: [:]) == nil)
    #expect(SMPFailure(in: ["rc": 0]) == nil)
    #expect(SMPFailure(in: ["err": ["group": 1, "rc": 0]]) == nil)
    #expect(SMPFailure(in: ["rc": 8]) == SMPFailure(8))
    #expect(SMPFailure(in: ["rc": 8, "rsn": "no"]) == SMPFailure(8, reason: "no"))
    #expect(SMPFailure(in: ["err": ["group": 1, "rc": 30]]) == SMPFailure(30, group: 1))
    #expect(SMPFailure(in: ["err": ["rc": 3]]) == SMPFailure(3))
  }

  @Test("Something else than a number in the place of an error is an error")
  func odd() {
    let odd: [CBORMap] = [["err": 5], ["err": [:]], ["err": ["rc": "x"]], ["rc": "x"], ["rc": true]]
    for payload in odd { #expect(SMPFailure(in: payload)?.code == 1, "\(payload)") }
  }

  @Test("What a device does not have is not found, whichever group says so")
  func absences() {
    for (code, group) in [(3, 8), (3, 3), (2, 2), (14, 1)] {
      #expect(SMPFailure(code, group: group).error(of: "echo").code == .notFound, "\(group) \(code)")
    }
    #expect(SMPFailure(9, group: 1).isObstacle && !SMPFailure(9).isObstacle)
  }

  @Test("The error tells the kind, and has the number and the words of the device")
  func errors() {
    let unknown = SMPFailure(8).error(of: "echo")
    #expect(unknown.code == .notSupported && unknown.deviceCode == 8)
    #expect(SMPFailure(5).error(of: "send the file").code == .notFound)
    #expect(SMPFailure(30, group: 1).error(of: "take the image").code == .refused)
    #expect(SMPFailure(13, group: 1).error(of: "take the image").code == .deviceError)
    #expect(SMPFailure(8, group: 1).error(of: "take the image").code == .deviceError)
    #expect(SMPFailure(6, reason: "no slot").error(of: "echo").message.hasSuffix(": no slot"))
  }

  @Test("Only rc 10 of SMP itself means busy")
  func busy() {
    #expect(SMPFailure(10).isBusy)
    #expect(!SMPFailure(10, group: 1).isBusy)
  }
}
