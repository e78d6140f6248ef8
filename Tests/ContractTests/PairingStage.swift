// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import Glibc
internal import TestSupport
internal import Testing

/// Brings the devices for pairing on stage, and cleans up behind them.
enum PairingStage {
  /// Runs a test with the device that sends another address than its own.
  static func withHidden(_ body: (any Stage, Peripheral) async throws -> Void) async throws {
    try await with(BuiltIn.hidden, sending: BuiltIn.addressOfHidden, body)
  }

  /// Runs a test with a device without a bond.
  static func with(
    _ address: BluetoothAddress, sending sent: BluetoothAddress? = nil, on given: CentralManager? = nil,
    _ body: (any Stage, Peripheral) async throws -> Void
  ) async throws {
    let stage = try await Stages.shared.value
    let central =
      if let given { given } else { try await CentralManager(bus: .address(stage.address)) }
    try await stage.show(address.description)
    let result: Result<Void, any Error>
    do {
      let peripheral = try await Contract.find(sent ?? address, central)
      result = .success(try await body(stage, peripheral))
    } catch {
      result = .failure(error)
    }
    for address in [sent, address] {
      guard let address, let known = try? await central.knownPeripheral(withAddress: address) else {
        continue
      }
      try? await known.peripheral.unpair()
    }
    do { try await stage.resetPairing(address.description) } catch { if !Stages.mayLoseBonds { throw error } }
    if given == nil { await central.close() }
    try result.get()
  }

  /// The device once more: BlueZ may have forgotten it.
  static func find(_ peripheral: Peripheral) async throws -> Peripheral {
    try await Contract.find(peripheral.address, peripheral.central)
  }

  /// Waits until a device has no link, or is forgotten.
  static func waitForEnd(of peripheral: Peripheral) async throws {
    // A `catch where` that is empty crashes the compiler of Swift 6.2.
    do { try await peripheral.waitUntilDisconnected(timeout: .seconds(10)) } catch {
      guard error.code == .notFound else { throw error }
    }
  }

  /// Waits until BlueZ has stored the keys of a device.
  ///
  /// They come over the encrypted link: a request that has caused the pairing may be answered before.
  static func waitForBond(with peripheral: Peripheral) async throws {
    let events = await peripheral.central.events()
    if try await peripheral.isBonded { return }
    let bond = try await events.first {
      guard case .changed(let info, _) = $0.kind else { return false }
      return info.peripheral == peripheral && info.isBonded
    }
    _ = try #require(bond)
  }

  /// Answers pairings while `body` runs.
  static func answering(
    _ agent: some PairingAgent, of central: CentralManager, _ body: () async throws -> Void
  ) async throws {
    let ready = Promise<Bool>()
    let answering = Task { try await central.answerPairings(using: agent) { ready.fulfil(true) } }
    _ = await ready.value
    let result: Result<Void, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    answering.cancel()
    _ = await answering.result
    try result.get()
  }
}

extension Stages {
  /// Whether the kernel may fail in this boot.
  static var mayLoseBonds: Bool { getenv("BLECTL_CONTRACT_BOND_LOST") != nil }
}

/// A person with a device in one hand, and this machine in front of them.
final class PersonAgent: PairingAgent {
  enum Attitude {
    case helpful
    /// Types a passkey that is wrong.
    case mistaken
    /// Says no.
    case refusing
    /// Says yes without a look at the device.
    case trusting
    /// Types in the last seconds before the device gives up.
    case slow
    /// Never answers.
    case absent
  }

  let abilities: PairingAbilities
  private let attitude: Attitude
  private let stage: any Stage
  private let seen = Lock<[String]>([])
  /// Fulfilled by the first question.
  let isAsked = Promise<Bool>()

  init(_ abilities: PairingAbilities, _ attitude: Attitude = .helpful, at stage: any Stage) {
    self.abilities = abilities
    self.attitude = attitude
    self.stage = stage
  }

  var log: [String] { seen.withLock { $0 } }

  private func note(_ text: String) { seen.withLock { $0.append(text) } }

  /// The number that the device shows.
  private func look(at device: PeripheralInfo) async -> Passkey? {
    isAsked.fulfil(true)
    if case .absent = attitude {
      let forever = Promise<Void>()
      await withTaskCancellationHandler {
        await forever.value
      } onCancel: {
        forever.fulfil(())
      }
      return nil
    }
    return (try? await stage.passkey(shownBy: device.address.description)).flatMap { Passkey($0) }
  }

  func passkey(for device: PeripheralInfo) async -> Passkey? {
    guard let shown = await look(at: device) else { return nil }
    note("passkey \(shown)")
    return attitude == .mistaken ? Passkey((shown.value + 1) % 1_000_000) : shown
  }

  func display(passkey: Passkey, entered: Int, for device: PeripheralInfo) async {
    if attitude == .slow {
      do { try await EventLoop.shared.sleep(for: .seconds(27)) } catch { return note("void") }
      note("typed")
    }
    try? await stage.type(passkey.description, into: device.address.description)
  }

  func confirm(passkey: Passkey, for device: PeripheralInfo) async -> Bool {
    if attitude == .trusting { return true }
    let isSame = await look(at: device) == passkey
    note(isSame ? "the same number" : "another number")
    return isSame && attitude == .helpful
  }

  func authorize(_ device: PeripheralInfo) async -> Bool { attitude == .helpful }
}
