// SPDX-License-Identifier: MIT
import BLECentral
import Testing

@testable import BLEUpdate

@Suite("Remedy and Whereabouts")
struct RemedyTests {
  private func error(_ code: BLEError.Code) -> BLEError { BLEError(code, during: .keepLink, "why") }

  @Test("A lost link is opened again, one that carries nothing is closed first")
  func links() {
    for code: BLEError.Code in [
      .disconnected, .connectionFailed, .notFound, .serviceUnavailable, .poweredOff,
    ] {
      #expect(Remedy(for: error(code)) == .reopen, "\(code)")
    }
    #expect(Remedy(for: error(.timedOut)) == .renew)
    #expect(Remedy(for: Silence("nothing")) == .renew)
  }

  @Test("A request for pairing is answered; other refusals and cancellation are final")
  func refusals() {
    #expect(Remedy(for: error(.notPaired)) == .pair)
    #expect(Remedy(for: error(.bondLost)) == .pair)
    for code: BLEError.Code in [.cancelled, .busUnavailable, .authenticationFailed, .notPermitted] {
      #expect(Remedy(for: error(code)) == .none, "\(code)")
    }
    #expect(Remedy(for: UpdateError(.refused, "no")) == .none)
    #expect(Remedy(for: CancellationError()) == .none)
  }

  @Test("Errors of Bluetooth that only pairing helps against are named so")
  func pairing() {
    #expect(UpdateError(error(.notPaired)).code == .needsPairing)
    #expect(UpdateError(error(.pairingTooWeak)).code == .needsPairing)
    #expect(UpdateError(error(.cancelled)).code == .cancelled)
    #expect(UpdateError(error(.poweredOff)).code == .ble)
    #expect(UpdateError(error(.poweredOff)).cause?.code == .poweredOff)
  }
}
