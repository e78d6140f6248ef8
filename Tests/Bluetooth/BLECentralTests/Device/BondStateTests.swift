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
    let first = bond.linkRefused(isBonded: true, byBlueZ: false)
    let second = bond.linkRefused(isBonded: true, byBlueZ: false)
    #expect(first == nil && second == .keysLost)
    bond.beginConnecting()
    let third = bond.linkRefused(isBonded: true, byBlueZ: false)
    #expect(third == nil)
  }

  @Test("Two links that BlueZ ended suggest that its keys are too weak, and one of each kind nothing")
  func linksEndedByBlueZ() {
    var bond = BondState()
    bond.beginConnecting()
    let first = bond.linkRefused(isBonded: true, byBlueZ: true)
    let second = bond.linkRefused(isBonded: true, byBlueZ: true)
    #expect(first == nil && second == .keysTooWeak)
    bond.beginConnecting()
    let local = bond.linkRefused(isBonded: true, byBlueZ: true)
    let remote = bond.linkRefused(isBonded: true, byBlueZ: false)
    #expect(local == nil && remote == nil)
  }

  @Test("A device without a bond may end links as often as it likes")
  func withoutBond() {
    var bond = BondState()
    bond.beginConnecting()
    for _ in 0..<3 {
      let suspicion = bond.linkRefused(isBonded: false, byBlueZ: false)
      #expect(suspicion == nil)
    }
    let first = bond.linkRefused(isBonded: true, byBlueZ: false)
    #expect(first == nil)
  }

  @Test("A pairing is unfinished from the agent's answer until the device is paired, or connected to again")
  func unfinishedPairing() {
    var bond = BondState()
    bond.pairingAnswered(.passkey, isPaired: false)
    #expect(bond.unfinishedPairing == .passkey)
    bond.paired()
    #expect(bond.unfinishedPairing == nil)
    bond.pairingAnswered(.justWorks, isPaired: false)
    bond.beginConnecting()
    #expect(bond.unfinishedPairing == nil)
  }

  @Test("A pairing for better keys is unfinished until a request is answered: the device was paired before")
  func betterKeys() {
    var bond = BondState()
    bond.pairingAnswered(.passkey, isPaired: true)
    bond.paired()
    #expect(bond.unfinishedPairing == .passkey)
    bond.requestAnswered()
    #expect(bond.unfinishedPairing == nil)
  }
}
