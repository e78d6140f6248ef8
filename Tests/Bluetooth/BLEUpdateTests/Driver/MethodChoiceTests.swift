// SPDX-License-Identifier: MIT
import Testing

@testable import BLEUpdate

@Suite("MethodChoice")
struct MethodChoiceTests {
  private func choose(
    _ file: [UpdateMethod], _ offered: [UpdateMethod], _ wanted: UpdateMethod? = nil
  ) -> Result<UpdateMethod, UpdateError> {
    do throws(UpdateError) {
      return .success(try MethodChoice.choose(of: file, offered: offered, wanted: wanted))
    } catch {
      return .failure(error)
    }
  }

  private func code(_ result: Result<UpdateMethod, UpdateError>) -> UpdateError.Code? {
    if case .failure(let error) = result { error.code } else { nil }
  }

  @Test("The only method that file and device share is taken")
  func only() throws {
    #expect(try choose([.smp], [.smp, .legacyDFU]).get() == .smp)
    #expect(try choose([.secureDFU, .legacyDFU], [.legacyDFU]).get() == .legacyDFU)
  }

  @Test("Of several, the wanted one is taken; without a wish, that is an error")
  func several() throws {
    let both: [UpdateMethod] = [.secureDFU, .legacyDFU]
    #expect(code(choose(both, both)) == .ambiguous)
    #expect(try choose(both, both, .legacyDFU).get() == .legacyDFU)
  }

  @Test("A file for nothing, or not for the wanted method, is unfit")
  func unfit() {
    #expect(code(choose([], [.smp])) == .unfit)
    #expect(code(choose([.smp], [.smp], .legacyDFU)) == .unfit)
  }

  @Test("A device that does not offer the method of the file is told from one that offers none")
  func notSupported() {
    let other = choose([.smp], [.secureDFU])
    #expect(code(other) == .unfit)
    let none = choose([.smp], [])
    #expect(code(none) == .notSupported)
    guard case .failure(let first) = other, case .failure(let second) = none else { return }
    #expect(first.message.contains("Secure DFU"))
    #expect(second.hint != nil)
  }
}
