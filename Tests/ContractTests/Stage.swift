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

/// Chooses the stage: the simulator, or, with `BLECTL_CONTRACT=real`, the bluetoothd of this machine.
enum Stages {
  static var isReal: Bool { getenv("BLECTL_CONTRACT").map { String(cString: $0) == "real" } ?? false }

  /// Whether the bluetoothd of this machine has its experimental features on, which is a boot of its own.
  private static var isRealExperimental: Bool { isReal && getenv("BLECTL_CONTRACT_EXPERIMENTAL") != nil }
  /// Whether there is a stage without experimental features.
  static var hasPlain: Bool { !isRealExperimental }
  /// Whether there is one with them.
  static var hasExperimental: Bool { !isReal || isRealExperimental }

  /// The stage with experimental features.
  static let experimental = Task<any Stage, any Error> {
    try await prepared(
      isReal
        ? RealStage()
        : SimulatedStage(world: simulated(.contract), isExperimental: true))
  }

  static let shared = Task<any Stage, any Error> {
    try await prepared(
      isReal ? RealStage() : SimulatedStage(world: simulated(.contract)))
  }

  /// The stage with two adapters that hear each other; a real one has them in a boot of its own.
  static let twoAdapters = Task<any Stage, any Error> {
    try await prepared(isReal ? RealStage() : SimulatedStage(world: simulated(.twoAdapters)))
  }

  /// The same with experimental features.
  static let experimentalTwoAdapters = Task<any Stage, any Error> {
    try await prepared(
      isReal ? RealStage() : SimulatedStage(world: simulated(.twoAdapters), isExperimental: true))
  }

  /// The version of BlueZ, by `BLECTL_CONTRACT_BLUEZ`: the simulator imitates it; of a real bluetoothd, it says what runs.
  static let version: BlueZRelease = {
    guard let text = getenv("BLECTL_CONTRACT_BLUEZ").map({ String(cString: $0) }), !text.isEmpty else {
      return .v5_66
    }
    guard let version = BlueZRelease(rawValue: text) else {
      preconditionFailure("BLECTL_CONTRACT_BLUEZ is no version that the contract knows: \(text)")
    }
    return version
  }()

  /// The services that every device shows: newer versions do not hide Generic Access.
  static let commonServices = version >= .v5_82 ? [BluetoothUUID(0x1800)] : []

  private static func simulated(_ world: World) -> World {
    var world = world
    world.bluez = version
    return world
  }

  /// How long each packet takes in all tests but those that say something else, by `BLECTL_CONTRACT_PACKET_TIME`: none,
  /// or a number of milliseconds such as `30ms`.
  static let packetTime: Duration = {
    guard let text = getenv("BLECTL_CONTRACT_PACKET_TIME").map({ String(cString: $0) }), !text.isEmpty else {
      return .zero
    }
    guard text.hasSuffix("ms"), let count = Int(text.dropLast(2)), count >= 0 else {
      preconditionFailure("BLECTL_CONTRACT_PACKET_TIME is not such as 30ms: \(text)")
    }
    return .milliseconds(count)
  }()

  private static func prepared(_ stage: any Stage) async throws -> any Stage {
    if packetTime > .zero { try await stage.setPacketTime(packetTime) }
    return stage
  }
}

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

/// A real bluetoothd on the system bus, in the rig, which brings `rig-bluetoothd`.
struct RealStage: Stage {
  let address = "unix:path=/run/dbus/system_bus_socket"

  @discardableResult
  private func rig(_ words: String...) async throws -> [String] { try await rig(words) }

  @discardableResult
  private func rig(_ words: [String]) async throws -> [String] {
    let result = try await ToolRun("/usr/bin/env", words).result()
    guard result.status == 0 else {
      let end = result.signal.map { "signal \($0)" } ?? "status \(result.status ?? -1)"
      throw RigFailure(command: words, words: "\(end): \(result.errorText)")
    }
    return result.lines
  }

  func killDaemon() async throws { try await rig("rig-bluetoothd", "kill") }
  func stopDaemon() async throws { try await rig("rig-bluetoothd", "stop") }
  func letDaemonDie() async throws { try await rig("rig-bluetoothd", "perish") }
  func startDaemon() async throws { try await rig("rig-bluetoothd", "start") }
  func killBus() async throws { try await rig("rig-bus", "kill") }
  func startBus() async throws { try await rig("rig-bus", "start") }
  func freezeDaemon() async throws { try await rig("rig-bluetoothd", "freeze") }
  func thawDaemon() async throws { try await rig("rig-bluetoothd", "thaw") }
  func switchOff() async throws { try await rig("rig-adapter", "off") }
  func switchOn() async throws { try await rig("rig-adapter", "on") }
  func hide(_ address: String) async throws { try await rig("rig-world", "hide", address) }
  func show(_ address: String) async throws { try await rig("rig-world", "show", address) }
  func changeAddress(_ address: String, to privateAddress: String?) async throws {
    try await rig("rig-world", "change-address", address, privateAddress ?? address)
  }
  func changeFirmware(of address: String, isNew: Bool) async throws {
    try await rig("rig-world", "move-attributes", address, isNew ? "2 from 0012" : "0")
  }
  func refuseSubscription(to characteristic: BluetoothUUID, of address: String) async throws {
    try await rig("rig-world", "refuse-subscription", address, characteristic.longForm)
  }
  func drop(_ address: String) async throws { try await rig("rig-world", "drop", address) }
  func setLinkTime(_ time: Duration?, of address: String) async throws {
    try await rig("rig-world", "link-time", address, time.map { "\(Int($0 / .milliseconds(1)))ms" } ?? "0ms")
  }
  func setClosingTime(_ time: Duration?) {}
  func setPacketTime(_ time: Duration) async throws {
    try await rig("rig-world", "packet-time", "\(Int(time / .microseconds(1)))us")
  }
  func received(_ address: String, _ characteristic: BluetoothUUID) async throws -> [[UInt8]] {
    try await rig("rig-world", "received", address, characteristic.longForm).map { try bytes($0) }
  }
  private func bytes(_ line: String) throws -> [UInt8] {
    if line == "-" { return [] }
    guard let bytes = Hex.bytes(line) else {
      throw RigFailure(command: ["received"], words: "not hex digits: \(line)")
    }
    return bytes
  }
  func receivedCount(_ address: String, _ characteristic: BluetoothUUID) async throws -> Int {
    try await count("received-count", address, characteristic)
  }
  func sentCount(_ address: String, _ characteristic: BluetoothUUID) async throws -> Int {
    try await count("sent-count", address, characteristic)
  }
  private func count(
    _ question: String, _ address: String, _ characteristic: BluetoothUUID
  ) async throws -> Int {
    let lines = try await rig("rig-world", question, address, characteristic.longForm)
    return lines.first.flatMap { Int($0) } ?? 0
  }
  func forgetReceived(_ address: String) async throws {
    try await rig("rig-world", "forget-received", address)
  }
  func passkey(shownBy address: String) async throws -> String {
    try await rig("rig-world", "passkey", address).first ?? ""
  }
  func type(_ digits: String, into address: String) async throws {
    try await rig("rig-world", "type", address, digits)
  }
  func forgetBonds(_ address: String) async throws { try await rig("rig-world", "forget-bond", address) }
  func bondCount(_ address: String) async throws -> Int {
    try await rig("rig-world", "bonds", address).first.flatMap { Int($0) } ?? 0
  }
  func askForSecurity(_ address: String) async throws { try await rig("rig-world", "ask-security", address) }
  func resetPairing(_ address: String) async throws { try await rig("rig-world", "reset", address) }

  func connectCentral(to adapter: String, mtu: Int, isHidden: Bool) async throws {
    try await rig(["rig-world", "central", "connect", adapter, "\(mtu)"] + (isHidden ? ["private"] : []))
  }
  func central(_ request: CentralRequest) async throws -> CentralAnswer {
    let line = try await rig(["rig-world", "central"] + request.words).first
    switch line?.split(separator: " ").map(String.init) ?? [] {
    case []: return .done()
    case let words where words[0] == "smp": return .notPaired
    case let words where words[0] == "att" && words.count == 2:
      return .refused(UInt8(words[1], radix: 16) ?? 0)
    case let words: return .done(try bytes(words[0]))
    }
  }
  func receivedByCentral(_ characteristic: BluetoothUUID, atLeast count: Int) async throws -> [[UInt8]] {
    try await rig("rig-world", "central", "received", characteristic.longForm, "\(count)").map {
      try bytes($0)
    }
  }
  func disconnectCentral() async throws { try await rig("rig-world", "central", "disconnect") }
  func forgetBondsOfCentral() async throws { try await rig("rig-world", "central", "forget-bonds") }

  struct RigFailure: Error {
    let command: [String]
    let words: String
  }
}
