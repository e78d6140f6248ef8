// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEFormats
internal import BLEWorld
internal import BlueZSimulator
internal import Glibc
internal import TestSupport

/// The BlueZ that the contract is tried on, and what can be done to it from outside.
protocol Stage: Sendable {
  /// The address of its bus.
  var address: String { get }
  /// Ends bluetoothd as a crash would.
  func killDaemon() async throws
  /// Ends bluetoothd as `systemctl stop` does: it powers its adapters off, and leaves.
  func stopDaemon() async throws
  /// Lets bluetoothd die of a fault of its own. A real one may go on with memory that it has freed: it is killed then.
  func letDaemonDie() async throws
  /// Starts bluetoothd again, and returns when its adapter is on.
  func startDaemon() async throws
  /// Ends the bus at once, and with it bluetoothd, as every client of the bus.
  func killBus() async throws
  /// Starts the bus again at the same address, without bluetoothd.
  func startBus() async throws
  /// Lets bluetoothd hang: it answers nothing.
  func freezeDaemon() async throws
  /// Lets it go on.
  func thawDaemon() async throws
  /// Switches the adapter off below bluetoothd, as another program can through the kernel's management interface.
  func switchOff() async throws
  /// Switches it on again.
  func switchOn() async throws
  /// Takes a peripheral out of reach: it does not advertise any more, and cannot be connected to.
  func hide(_ address: String) async throws
  /// Brings it back.
  func show(_ address: String) async throws
  /// Lets a peripheral without a link send a private address from now on; nil is its own.
  func changeAddress(_ address: String, to privateAddress: String?) async throws
  /// Lets a peripheral without a link have its Device Information at other handles, as after an update of its firmware, or
  /// where it was.
  func changeFirmware(of address: String, isNew: Bool) async throws
  /// Lets a peripheral refuse the next subscription to a characteristic, for want of resources.
  func refuseSubscription(to characteristic: BluetoothUUID, of address: String) async throws
  /// Lets a peripheral close its link.
  func drop(_ address: String) async throws
  /// Lets a peripheral end each of its links after this time; nil: none.
  func setLinkTime(_ time: Duration?, of address: String) async throws
  /// Lets BlueZ take this long to close a link; nil: its usual time. A real bluetoothd, which takes 2 s, ignores it.
  func setClosingTime(_ time: Duration?) async throws
  /// Lets each packet take so long, one at a time in each direction, on every link from now on.
  func setPacketTime(_ time: Duration) async throws
  /// The values that were written to a characteristic, in order, as they reached the peripheral, since they were last
  /// forgotten: which has to be done once before.
  func received(_ address: String, _ characteristic: BluetoothUUID) async throws -> [[UInt8]]
  /// How many values that are.
  func receivedCount(_ address: String, _ characteristic: BluetoothUUID) async throws -> Int
  /// How many notifications and indications of a characteristic a peripheral has sent, as it counts itself, so far.
  func sentCount(_ address: String, _ characteristic: BluetoothUUID) async throws -> Int
  /// Forgets what a peripheral has received.
  func forgetReceived(_ address: String) async throws
  /// The six digits that a peripheral shows now: a passkey, or the number to compare.
  func passkey(shownBy address: String) async throws -> String
  /// Types six digits into a peripheral: for the question that waits, or for the next.
  func type(_ digits: String, into address: String) async throws
  /// Lets a peripheral lose its bonds; its link stays.
  func forgetBonds(_ address: String) async throws
  /// How many bonds a peripheral has.
  func bondCount(_ address: String) async throws -> Int
  /// Lets a connected peripheral ask for an encrypted link.
  func askForSecurity(_ address: String) async throws
  /// Brings a peripheral for pairing back to the start: hidden, without bonds, with nothing typed.
  func resetPairing(_ address: String) async throws
  /// Lets a central that is not BlueZ connect to an adapter that advertises; `isHidden`: with a private address.
  func connectCentral(to adapter: String, mtu: Int, isHidden: Bool) async throws
  /// Lets it do one thing on its link.
  func central(_ request: CentralRequest) async throws -> CentralAnswer
  /// The values that it was notified of on its link, once there are that many.
  func receivedByCentral(_ characteristic: BluetoothUUID, atLeast count: Int) async throws -> [[UInt8]]
  /// Lets it close its link.
  func disconnectCentral() async throws
  /// Lets it lose its bonds.
  func forgetBondsOfCentral() async throws
}

extension Stage {
  /// Lets a central that is not BlueZ connect to an adapter that advertises.
  func connectCentral(to adapter: String, mtu: Int) async throws {
    try await connectCentral(to: adapter, mtu: mtu, isHidden: false)
  }

  /// Runs a test on links whose packets take so long.
  func withPacketTime<Outcome>(_ time: Duration, _ body: () async throws -> Outcome) async throws -> Outcome {
    try await setPacketTime(time)
    return try await restoring({ try await setPacketTime(Stages.packetTime) }, after: body)
  }

  /// Runs a test with a peripheral that ends each of its links after this time.
  func withLinkTime<Outcome>(
    _ time: Duration, of address: String, _ body: () async throws -> Outcome
  ) async throws -> Outcome {
    try await setLinkTime(time, of: address)
    return try await restoring({ try await setLinkTime(nil, of: address) }, after: body)
  }

  /// Runs a test in which BlueZ takes this long to close a link, unless it is a real one.
  func withClosingTime<Outcome>(_ time: Duration, _ body: () async throws -> Outcome) async throws -> Outcome
  {
    try await setClosingTime(time)
    return try await restoring({ try await setClosingTime(nil) }, after: body)
  }

  /// Runs a test, and then what brings the stage back to what others expect, also if the test fails.
  private func restoring<Outcome>(
    _ restore: () async throws -> Void, after body: () async throws -> Outcome
  ) async throws -> Outcome {
    let outcome: Result<Outcome, any Error>
    do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
    try await restore()
    return try outcome.get()
  }

  /// Runs a test with a peripheral behind a private address, one of `addresses`.
  ///
  /// BlueZ forgets all of these at the end: other tests find the peripheral by its name.
  func withPrivateAddress<Outcome>(
    _ address: String, of peripheral: String, among addresses: [String], _ body: () async throws -> Outcome
  ) async throws -> Outcome {
    try await changeAddress(peripheral, to: address)
    return try await restoring(
      {
        try await changeAddress(peripheral, to: nil)
        try await Contract.withCentral { central in
          for known in try await central.knownPeripherals() where addresses.contains("\(known.address)") {
            // BlueZ may have forgotten it by itself.
            try? await known.peripheral.unpair()
          }
        }
      }, after: body)
  }

  /// Kills bluetoothd and starts it again, and returns when a manager has seen both.
  func restartDaemon(seenBy central: CentralManager) async throws {
    var states = await central.stateUpdates().makeAsyncIterator()
    try await killDaemon()
    while let state = await states.next(), state != .serviceUnavailable {}
    try await startDaemon()
    while let state = await states.next(), state != .poweredOn {}
  }
}
