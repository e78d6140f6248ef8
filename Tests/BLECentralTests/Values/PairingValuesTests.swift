// SPDX-License-Identifier: MIT
import Testing

@testable import BLECentral

@Suite("Passkeys and capabilities")
struct PairingValuesTests {
  @Test("A passkey is shown with six digits")
  func digits() {
    #expect(Passkey(42017)?.description == "042017")
    #expect(Passkey(0)?.description == "000000")
    #expect(Passkey(UInt32(1_000_000)) == nil)
  }

  @Test(
    "One to six digits are a passkey",
    arguments: [("42017", 42017), ("042017", 42017), ("0", 0), ("999999", 999_999)])
  func typed(_ text: String, _ value: UInt32) { #expect(Passkey(text)?.value == value) }

  @Test(
    "Anything else is none", arguments: ["", "1234567", "12 34", "-1", "+1", "0x10", "12345a", "１２", "٣"])
  func mistyped(_ text: String) { #expect(Passkey(text) == nil) }

  @Test("The capability follows from what an agent can do")
  func capability() {
    let table: [(PairingAbilities, PairingCapability)] = [
      ([], .noInputNoOutput), (.confirms, .noInputNoOutput), (.shows, .displayOnly),
      ([.shows, .confirms], .displayYesNo), (.types, .keyboardOnly), ([.shows, .types], .keyboardDisplay),
    ]
    for (abilities, capability) in table { #expect(PairingCapability(abilities) == capability) }
    #expect(Passkey("1").map { FixedPasskeyAgent($0).capability } == .keyboardOnly)
    #expect(JustWorksAgent().capability == .noInputNoOutput)
  }

  @Test("Only numbers protect against a device in between")
  func protection() {
    #expect(PairingMethod.allCases.filter(\.protectsAgainstInterception) == [.passkey, .numericComparison])
  }
}
