// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEFormats
internal import BLEWorld
internal import BlueZSimulator
internal import TestSupport

/// The simulated BlueZ on a private bus.
struct SimulatedStage: Stage {
  let bus: SimulatedBus
  var address: String { bus.address }

  /// Starts it; from now on the time in which nothing happens is skipped.
  init(world: World, isExperimental: Bool = false) async throws {
    VirtualTime.begin()
    bus = try await VirtualTime.hold {
      try await SimulatedBus.start(world: world, isExperimental: isExperimental)
    }
  }

  func killDaemon() async throws { await bus.simulator.killDaemon() }
  func stopDaemon() async throws { await bus.simulator.stopDaemon() }
  func letDaemonDie() {}  // It does, whenever a real one may.
  func startDaemon() async throws { try await bus.simulator.startDaemon() }
  func killBus() async throws { try await bus.simulator.killBus() }
  func startBus() async throws { try await bus.bus.resume() }
  func freezeDaemon() async throws { await bus.simulator.freeze() }
  func thawDaemon() async throws { await bus.simulator.thaw() }
  func switchOff() async throws { await bus.simulator.setPowered(false) }
  func switchOn() async throws { await bus.simulator.setPowered(true) }
  func hide(_ address: String) async throws { await bus.simulator.vanish(address) }
  func show(_ address: String) async throws { await bus.simulator.appear(address) }
  func changeAddress(_ address: String, to privateAddress: String?) async throws {
    await bus.simulator.changeAddress(address, to: privateAddress)
  }
  func changeFirmware(of address: String, isNew: Bool) async throws {
    try await bus.simulator.perform(.peripheral(address, .moveAttributes(by: isNew ? 200 : 0)))
  }
  func refuseSubscription(to characteristic: BluetoothUUID, of address: String) async throws {
    let refusal = AnswerFault(.error(0x11), to: .subscribe, times: 1)
    try await bus.simulator.perform(.characteristic(characteristic, of: address, .answer(refusal)))
  }
  func drop(_ address: String) async throws { await bus.simulator.dropLink(address) }
  func setLinkTime(_ time: Duration?, of address: String) async throws {
    try await bus.simulator.perform(.peripheral(address, .dropAfterTime(time)))
  }
  func setClosingTime(_ time: Duration?) async throws { await bus.simulator.setClosingTime(time) }
  func setPacketTime(_ time: Duration) async throws { await bus.simulator.setPacketTime(time) }
  func received(_ address: String, _ characteristic: BluetoothUUID) async throws -> [[UInt8]] {
    await bus.simulator.received(address, characteristic)
  }
  func receivedCount(_ address: String, _ characteristic: BluetoothUUID) async throws -> Int {
    try await received(address, characteristic).count
  }
  func sentCount(_ address: String, _ characteristic: BluetoothUUID) async throws -> Int {
    await bus.simulator.sentCount(address, characteristic)
  }
  func forgetReceived(_ address: String) async throws { await bus.simulator.forgetReceived(address) }
  func passkey(shownBy address: String) async throws -> String {
    guard let passkey = await bus.simulator.passkey(shownBy: address) else { throw ShowsNothing() }
    return PasskeyText.text(passkey)
  }
  func type(_ digits: String, into address: String) async throws {
    guard let passkey = PasskeyText.passkey(digits) else { preconditionFailure("not six digits: \(digits)") }
    await bus.simulator.typePasskey(address, passkey)
  }
  func forgetBonds(_ address: String) async throws { await bus.simulator.forgetBonds(address) }
  func bondCount(_ address: String) async throws -> Int { await bus.simulator.bondCount(address) }
  func askForSecurity(_ address: String) async throws { await bus.simulator.askForSecurity(address) }
  func resetPairing(_ address: String) async throws {
    await bus.simulator.vanish(address)
    await bus.simulator.resetPairing(address)
  }
  func connectCentral(to adapter: String, mtu: Int, isHidden: Bool) async throws {
    let privateAddress = isHidden ? "\(BuiltIn.addressOfHiddenCentral)" : nil
    guard
      await bus.simulator.connectCentral(Self.central, to: adapter, mtu: UInt16(mtu), as: privateAddress)
    else {
      throw Contract.Missing(what: "\(adapter), which advertises")
    }
  }
  func central(_ request: CentralRequest) async throws -> CentralAnswer {
    await bus.simulator.perform(request, byCentral: Self.central)
  }
  func receivedByCentral(_ characteristic: BluetoothUUID, atLeast count: Int) async throws -> [[UInt8]] {
    await bus.simulator.received(byCentral: Self.central, characteristic, atLeast: count)
  }
  func disconnectCentral() async throws { await bus.simulator.disconnectCentral(Self.central) }
  func forgetBondsOfCentral() async throws { await bus.simulator.forgetBonds(ofCentral: Self.central) }

  private static let central = "\(BuiltIn.central)"

  struct ShowsNothing: Error {}
}
