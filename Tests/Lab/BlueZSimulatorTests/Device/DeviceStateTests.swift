// SPDX-License-Identifier: MIT
import BLEWorld
import PeripheralEmulator
import Testing

@testable import BlueZSimulator

@Suite("Device state")
struct DeviceStateTests {
  private let key = BondKey(number: 1, security: .encrypted)
  private let newKey = BondKey(number: 2, security: .authenticated)

  // MARK: Presence

  @Test(
    "A silent device is removed unless it is kept, and while it is connected only if a pairing has failed")
  func silentDeviceRemoved() {
    for presence in [Presence.permanent, .temporary, .doomed, .forgotten] {
      #expect(presence.expires(isConnected: false) == (presence != .permanent))
      #expect(presence.expires(isConnected: true) == (presence == .doomed))
    }
  }

  @Test("A device that a client has removed is never kept again")
  func forgottenDeviceStaysForgotten() {
    var presence = Presence.forgotten
    presence.keep()
    presence.pairingFailed()
    presence.paired()
    presence.release()
    #expect(presence == .forgotten)
  }

  @Test("A device whose pairing has failed is kept after all when it pairs or is connected again")
  func doomedDeviceRecovers() {
    var presence = Presence.permanent
    presence.release()
    #expect(presence == .temporary)
    presence.pairingFailed()
    presence.release()
    #expect(presence == .doomed)
    presence.paired()
    #expect(presence == .temporary)
    presence.pairingFailed()
    presence.keep()
    #expect(presence == .permanent)
  }

  // MARK: The link

  @Test("A link is closed once at a time, and remembers whether it is for pairing", arguments: [true, false])
  func linkIsClosedOnce(isForPairing: Bool) {
    var phase = LinkPhase.standing(isForPairing: isForPairing)
    let hasEndedUnasked = phase.endClosing()
    #expect(!hasEndedUnasked && !phase.isClosing)
    let isFirst = phase.beginClosing()
    let isSecond = phase.beginClosing()
    #expect(isFirst && !isSecond && phase.isClosing && phase.isConnected)
    #expect(phase.isForPairing == isForPairing)
    let hasEnded = phase.endClosing()
    #expect(hasEnded && phase == .standing(isForPairing: isForPairing))
  }

  @Test("No link cannot be closed")
  func noLinkCannotBeClosed() {
    var phase = LinkPhase.none
    let hasBegun = phase.beginClosing()
    #expect(!hasBegun && !phase.isConnected && !phase.isForPairing)
  }

  @Test("Discovery that waits for encryption begins once, and its result is news once for each link")
  func discoveryIsNewsOnce() {
    var phase = DiscoveryPhase.held
    let begins = [phase.release(), phase.release()]
    let news = [phase.resolve(), phase.resolve()]
    let ends = [phase.end(), phase.end()]
    #expect([begins, news, ends] == [[true, false], [true, false], [true, false]])
    #expect(phase == .pending)
  }

  @Test("Discovery that still waits when the link ends does not begin on the next one")
  func heldDiscoveryEnds() {
    var phase = DiscoveryPhase.held
    let wasResolved = phase.end()
    let begins = phase.release()
    #expect(!wasResolved && !begins)
  }

  // MARK: Pairing

  @Test("A bond outlives the link, even if pairing was not yet signalled")
  func bondOutlivesLink() {
    var state = PairingState()
    let isNews = state.agreed(on: key, isKept: true)
    let changes = state.linkEnded()
    #expect(isNews && !changes && state.isBonded && !state.isPaired && state.knownKey == key)
    let pairs = [state.paired(), state.paired()]
    #expect(pairs == [true, false])
    #expect(state == PairingState(bond: key))
  }

  @Test("Pairing without a bond ends with the link")
  func pairingEndsWithLink() {
    var state = PairingState()
    let isNews = state.agreed(on: key, isKept: false)
    _ = state.paired()
    #expect(!isNews && state.isPaired && state.knownKey == key)
    let changes = [state.linkEnded(), state.linkEnded()]
    #expect(changes == [true, false])
    #expect(state == PairingState())
  }

  @Test("A new pairing replaces the key of a bond, and the bond too if it is not kept")
  func newPairingReplacesKey() {
    var state = PairingState(bond: key)
    let isBondNews = state.agreed(on: newKey, isKept: true)
    #expect(!isBondNews && state == PairingState(bond: newKey))
    let isLossNews = state.agreed(on: key, isKept: false)
    #expect(isLossNews && !state.isBonded && state.isPaired)
  }

  @Test("A device still counts as paired after the kernel has forgotten the key, until it pairs again")
  func droppedKeyLeavesBond() {
    var state = PairingState(bond: key)
    let drops = [state.dropKey(), state.dropKey()]
    #expect(drops == [true, false])
    #expect(state.key == .dropped && state.isBonded && state.isPaired && state.knownKey == nil)
    let changes = state.linkEnded()
    #expect(!changes && state.key == .dropped)
    _ = state.agreed(on: newKey, isKept: true)
    #expect(state.key == .known(newKey))
  }

  @Test("A device without a bond is not stored as paired")
  func storedWithoutBond() { #expect(PairingState(bond: nil) == PairingState()) }
}
