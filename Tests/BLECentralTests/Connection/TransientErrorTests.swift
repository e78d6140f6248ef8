// SPDX-License-Identifier: MIT
import Testing

@testable import BLECentral

@Suite("Errors of opening a link")
struct TransientErrorTests {
  @Test(
    "Only what may pass by itself is tried again",
    arguments: [
      (BLEError.Code.connectionFailed, "", true), (.disconnected, "", true), (.busy, "", true),
      (.failed, "Operation already in progress", true), (.failed, "Input/output error", true),
      (.failed, "Software caused connection abort", true), (.failed, "Host is down", true),
      (.failed, "Operation failed", false), (.notFound, "", false), (.timedOut, "", false),
      (.cancelled, "", false), (.poweredOff, "", false), (.blocked, "", false), (.accessDenied, "", false),
      (.serviceUnavailable, "", false), (.busUnavailable, "", false), (.notSupported, "", false),
    ])
  func transient(code: BLEError.Code, message: String, isTransient: Bool) {
    #expect(BLEError(code, operation: "connect", message: message).isTransient == isTransient)
  }
}
