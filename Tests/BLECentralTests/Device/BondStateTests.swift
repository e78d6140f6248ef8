// SPDX-License-Identifier: MIT
internal import Testing

@testable internal import BLECentral

@Suite("BondState")
struct BondStateTests {
  @Test("BlueZ has lost the keys of a device that was bonded, unless this manager unpaired it")
  func keys() {
    var bond = BondState()
    #expect(bond.keys(isPaired: false) == .none)
    #expect(bond.keys(isPaired: true) == .kept)
    bond.observed(isBonded: true)
    bond.observed(isBonded: false)
    #expect(bond.wasBonded)
    #expect(bond.keys(isPaired: false) == .lost)
    #expect(bond.keys(isPaired: true) == .kept)
    bond.unpaired()
    #expect(bond.keys(isPaired: false) == .none)
  }

  @Test("A bonded device that ends two links while one task connects seems to have lost its keys")
  func refusedLinks() {
    var bond = BondState()
    bond.beginConnecting()
    let isFirstEnough = bond.linkRefused(isBonded: true)
    let isSecondEnough = bond.linkRefused(isBonded: true)
    #expect(!isFirstEnough && isSecondEnough)
    bond.beginConnecting()
    let isThirdEnough = bond.linkRefused(isBonded: true)
    #expect(!isThirdEnough)
  }

  @Test("A device without a bond may end links as often as it likes")
  func withoutBond() {
    var bond = BondState()
    bond.beginConnecting()
    for _ in 0..<3 {
      let isLost = bond.linkRefused(isBonded: false)
      #expect(!isLost)
    }
    let isFirstEnough = bond.linkRefused(isBonded: true)
    #expect(!isFirstEnough)
  }
}
