// SPDX-License-Identifier: MIT
import DBus
import Testing

@testable import BLECentral

@Suite("Errors of opening a link")
struct TransientErrorTests {
  @Test(
    "Only failures that may pass by themselves are tried again",
    arguments: [
      ("Failed", "le-connection-timeout", true), ("Failed", "Not connected", true), ("Busy", "", true),
      ("Failed", "Operation already in progress", true), ("Failed", "Input/output error", true),
      ("Failed", "Software caused connection abort", true), ("Failed", "Host is down", true),
      ("Failed", "Operation failed", false), ("DoesNotExist", "", false), ("NotReady", "", false),
      ("Blocked", "", false), ("NotSupported", "", false), ("AlreadyExists", "Host is down", false),
    ])
  func transient(name: String, text: String, isTransient: Bool) {
    let error = DBusError(.reply, name: "org.bluez.Error." + name, message: text)
    #expect(BLEError(error, during: .scan).isTransient == isTransient)
  }

  @Test(
    "An outage, a deadline or a cancellation on this side is never tried again",
    arguments: [
      BLEError.Code.timedOut, .cancelled, .accessDenied, .serviceUnavailable, .busUnavailable, .notFound,
    ])
  func final(code: BLEError.Code) { #expect(!BLEError(code, during: .scan, "").isTransient) }
}
