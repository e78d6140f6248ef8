// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEWorld
internal import TestSupport
internal import Testing

/// With the devices of docs/pairing-world.md.
extension Contract {
  @Suite("Pairing")
  struct Pairing {
    private static let encrypted = BuiltIn.bench(0x0302)
    private static let authenticated = BuiltIn.bench(0x0303)
    private static let secure = BuiltIn.bench(0x0304)
    private static let echo = BuiltIn.bench(0x0305)

    // MARK: Methods

    @Test("Just Works needs no person; the bond is kept, and encrypts")
    func justWorks() async throws {
      try await PairingStage.with(BuiltIn.justWorks) { stage, peripheral in
        let outcome = try await peripheral.pair()
        #expect(outcome == PairingOutcome(method: .justWorks, isBonded: true))
        #expect(try await peripheral.isPaired)
        #expect(try await stage.bondCount(BuiltIn.justWorks.description) == 1)
        #expect(try await read(Self.encrypted, of: peripheral) == "encrypted")
        let again = await #expect(throws: BLEError.self) { try await peripheral.pair() }
        #expect(again?.code == .alreadyPaired)
      }
    }

    @Test("The passkey that the device shows is typed here")
    func passkeyTypedHere() async throws {
      try await PairingStage.with(BuiltIn.passkeyShown) { stage, peripheral in
        let agent = PersonAgent(.types, at: stage)
        let outcome = try await peripheral.pair(using: agent)
        #expect(outcome == PairingOutcome(method: .passkey, isBonded: true))
        #expect(agent.log == ["passkey 042017"])
        #expect(try await read(Self.secure, of: peripheral) == "secure")
      }
    }

    @Test("The passkey that is shown here is typed into the device")
    func passkeyTypedThere() async throws {
      try await PairingStage.with(BuiltIn.passkeyTyped) { stage, peripheral in
        let outcome = try await peripheral.pair(using: PersonAgent(.shows, at: stage))
        #expect(outcome == PairingOutcome(method: .passkey, isBonded: true))
        #expect(try await read(Self.secure, of: peripheral) == "secure")
      }
    }

    @Test("The passkey is shown here for as long as the pairing goes on")
    func passkeyTypedLate() async throws {
      try await PairingStage.with(BuiltIn.passkeyTyped) { stage, peripheral in
        let agent = PersonAgent(.shows, .slow, at: stage)
        let outcome = try await peripheral.pair(using: agent)
        #expect(outcome == PairingOutcome(method: .passkey, isBonded: true))
        #expect(agent.log == ["typed"])
      }
    }

    @Test("Both sides show the same number, and it is accepted")
    func comparison() async throws {
      try await PairingStage.with(BuiltIn.comparison) { stage, peripheral in
        let agent = PersonAgent([.shows, .confirms], at: stage)
        let outcome = try await peripheral.pair(using: agent)
        #expect(outcome == PairingOutcome(method: .numericComparison, isBonded: true))
        #expect(agent.log == ["the same number"])
        #expect(try await read(Self.secure, of: peripheral) == "secure")
      }
    }

    @Test("A passkey authenticates in legacy pairing")
    func legacy() async throws {
      try await PairingStage.with(BuiltIn.legacy) { stage, peripheral in
        let agent = PersonAgent([.shows, .confirms, .types], at: stage)
        let outcome = try await peripheral.pair(using: agent)
        #expect(outcome == PairingOutcome(method: .passkey, isBonded: true))
        #expect(try await read(Self.authenticated, of: peripheral) == "authenticated")
      }
    }

    @Test("A device that demands a number gets none from an agent without abilities, and one from a person")
    func demandsMITM() async throws {
      try await PairingStage.with(BuiltIn.demandsMITM) { stage, peripheral in
        let error = await #expect(throws: BLEError.self) { try await peripheral.pair() }
        #expect(error?.code == .authenticationFailed)
        let agent = PersonAgent([.shows, .confirms, .types], at: stage)
        let outcome = try await PairingStage.find(peripheral).pair(using: agent)
        #expect(outcome.method == .numericComparison)
      }
    }

    @Test("Two devices at once take turns")
    func two() async throws {
      try await PairingStage.with(BuiltIn.passkeyShown) { stage, first in
        try await PairingStage.with(BuiltIn.passkeyShown2, on: first.central) { _, second in
          try await expectTurns(of: first, second, at: stage)
        }
      }
    }

    private func expectTurns(of first: Peripheral, _ second: Peripheral, at stage: any Stage) async throws {
      async let one = first.pair(using: PersonAgent(.types, at: stage))
      async let other = second.pair(using: PersonAgent(.types, at: stage))
      let methods = try await [one.method, other.method]
      #expect(methods == [.passkey, .passkey])
      #expect(try await read(Self.secure, of: first) == "secure")
      #expect(try await read(Self.secure, of: second) == "secure")
    }

    // MARK: Failures

    /// Pairs, and expects that it fails and leaves no bond.
    private func expectFailure(
      _ code: BLEError.Code, with address: BluetoothAddress, _ abilities: PairingAbilities,
      _ attitude: PersonAgent.Attitude = .helpful
    ) async throws {
      try await PairingStage.with(address) { stage, peripheral in
        let agent = PersonAgent(abilities, attitude, at: stage)
        let error = await #expect(throws: BLEError.self) { try await peripheral.pair(using: agent) }
        #expect(error?.code == code, "\(error?.description ?? "") \(error?.dbusName ?? "")")
        #expect(try await stage.bondCount(address.description) == 0)
        let known = try await peripheral.central.knownPeripheral(withAddress: address)
        #expect(known?.isPaired ?? false == false)
      }
    }

    @Test("A comparison that is rejected here fails")
    func rejectedHere() async throws {
      try await expectFailure(.pairingRejected, with: BuiltIn.comparison, [.shows, .confirms], .refusing)
    }

    @Test("A comparison that is rejected there fails")
    func rejectedThere() async throws {
      try await expectFailure(
        .authenticationFailed, with: BuiltIn.comparisonNo, [.shows, .confirms], .trusting)
    }

    @Test("A wrong passkey fails the pairing")
    func wrongPasskey() async throws {
      try await expectFailure(.authenticationFailed, with: BuiltIn.passkeyShown, .types, .mistaken)
    }

    @Test("A device that refuses fails the pairing")
    func refuses() async throws { try await expectFailure(.authenticationFailed, with: BuiltIn.refuses, []) }

    @Test("A device that does not answer makes the pairing time out")
    func silent() async throws { try await expectFailure(.pairingTimedOut, with: BuiltIn.silent, []) }

    @Test("A question without an answer times out")
    func unanswered() async throws {
      try await expectFailure(.pairingTimedOut, with: BuiltIn.passkeyShown, .types, .absent)
    }

    @Test("A cancelled pairing leaves no bond, and the next attempt succeeds")
    func cancelled() async throws {
      try await PairingStage.with(BuiltIn.passkeyShown) { stage, peripheral in
        let absent = PersonAgent(.types, .absent, at: stage)
        let pairing = Task { try await peripheral.pair(using: absent) }
        _ = await absent.isAsked.value
        pairing.cancel()
        let result = await pairing.result
        #expect(throws: BLEError.self) { try result.get() }
        #expect(try await stage.bondCount(BuiltIn.passkeyShown.description) == 0)
        let agent = PersonAgent(.types, at: stage)
        let outcome = try await PairingStage.find(peripheral).pair(using: agent)
        #expect(outcome.method == .passkey)
      }
    }

    @Test("Ctrl-C leaves no bond, no agent and no link")
    func interrupted() async throws {
      try await PairingStage.with(BuiltIn.passkeyShown) { stage, peripheral in
        let blectl = Blectl(bus: stage.address)
        let run = try blectl.start(["pair", "\(BuiltIn.passkeyShown)", "--json"], input: nil)
        #expect(await run.waitForLines(1))
        run.send(signal: 2)
        let result = await run.result()
        #expect(result.signal == 2)
        #expect(result.lines.count == 1)
        try await PairingStage.waitForEnd(of: peripheral)
        #expect(try await stage.bondCount(BuiltIn.passkeyShown.description) == 0)
        let doctor = try await blectl.run("doctor", "--json")
        #expect(doctor.text.contains("is not pairable"))
      }
    }

    // MARK: Without Pair

    @Test("Reading an encrypted value pairs, and notifications come")
    func onDemand() async throws {
      try await PairingStage.with(BuiltIn.justWorks) { stage, peripheral in
        try await PairingStage.answering(.justWorks, of: peripheral.central) {
          try await Contract.connect(peripheral)
          #expect(try await read(Self.encrypted, of: peripheral) == "encrypted")
          try await PairingStage.waitForBond(with: peripheral)
          let echo = try await peripheral.characteristic(Self.echo)
          let notifications = try await peripheral.notifications(for: echo)
          try await peripheral.writeValue([7], for: echo)
          for try await notification in notifications {
            #expect(notification.value == [7])
            break
          }
        }
      }
    }

    @Test("A device that asks for it is paired")
    func askedFor() async throws {
      try await PairingStage.with(BuiltIn.justWorks) { stage, peripheral in
        try await PairingStage.answering(.justWorks, of: peripheral.central) {
          try await Contract.connect(peripheral)
          let events = await peripheral.central.events()
          try await stage.askForSecurity(BuiltIn.justWorks.description)
          let pairing = try await events.first {
            guard case .changed(let info, let fields) = $0.kind else { return false }
            return fields.contains(.paired) && info.isPaired
          }
          _ = try #require(pairing)
          #expect(try await read(Self.encrypted, of: peripheral) == "encrypted")
        }
      }
    }

    @Test("After a restart of bluetoothd the agent answers again")
    func agentAfterRestart() async throws {
      try await PairingStage.with(BuiltIn.justWorks) { stage, peripheral in
        try await PairingStage.answering(.justWorks, of: peripheral.central) {
          try await stage.restartDaemon(seenBy: peripheral.central)
          let again = try await PairingStage.find(peripheral)
          try await Contract.connect(again)
          #expect(try await read(Self.encrypted, of: again) == "encrypted")
        }
      }
    }

    // MARK: Bonds

    @Test("A bond outlives bluetoothd: the next link is encrypted without a question")
    func restart() async throws {
      try await PairingStage.with(BuiltIn.justWorks) { stage, peripheral in
        try await peripheral.pair()
        try await stage.restartDaemon(seenBy: peripheral.central)
        let info = try await peripheral.central.reconnect(to: BuiltIn.justWorks)
        #expect(info.isBonded)
        #expect(try await read(Self.encrypted, of: info.peripheral) == "encrypted")
      }
    }

    @Test(
      "A device that has lost the bond: its links end at once",
      // Linux 6.1 fails in its Bluetooth code: a boot of its own.
      .enabled(if: !Stages.isReal || Stages.mayLoseBonds))
    func lostByPeer() async throws {
      try await PairingStage.with(BuiltIn.justWorks) { stage, peripheral in
        try await peripheral.pair()
        try await stage.forgetBonds(BuiltIn.justWorks.description)
        try await peripheral.disconnect()
        let error = await #expect(throws: BLEError.self) {
          try await peripheral.connect(timeout: .seconds(40))
        }
        #expect(
          error?.message.contains("lost the keys of the pairing") == true, "\(error?.description ?? "")")
        // Linux 6.1 fails, and takes bluetoothd with it.
        if Stages.isReal, error?.code == .serviceUnavailable {
          #expect(error?.hint?.contains("unpair the device") == true, "\(error?.hint ?? "")")
          return
        }
        #expect(error?.code == .bondLostByPeer)
        try await peripheral.unpair()
        try await PairingStage.find(peripheral).pair()
      }
    }

    @Test("A bond that BlueZ has lost is reported, and replaced by the next pairing")
    func lostHere() async throws {
      try await PairingStage.with(BuiltIn.justWorks) { stage, peripheral in
        try await peripheral.pair()
        try await Contract.withCentral { other in
          try await other.knownPeripheral(withAddress: BuiltIn.justWorks)?.peripheral.unpair()
        }
        let again = try await PairingStage.find(peripheral)
        try await Contract.connect(again)
        let value = try await again.characteristic(Self.encrypted)
        let error = await #expect(throws: BLEError.self) {
          try await again.readValue(for: value, timeout: .seconds(5))
        }
        #expect(error?.code == .bondLost, "\(error?.description ?? "")")
        await again.release()
        try? await again.waitUntilDisconnected(timeout: .seconds(10))
        let outcome = try await PairingStage.find(peripheral).pair()
        #expect(outcome.isBonded)
      }
    }

    @Test(
      "A command with --pair pairs when a value requires it, whoever asks first", arguments: [false, true])
    func onDemand(_ deviceAsks: Bool) async throws {
      try await PairingStage.with(BuiltIn.justWorks) { stage, peripheral in
        var events = await peripheral.central.events().makeAsyncIterator()
        let command = try Blectl(bus: stage.address).start(
          ["read", "\(BuiltIn.justWorks)", "\(Self.encrypted)", "--as", "utf8", "--pair", "--timeout", "60s"])
        if deviceAsks {
          while let event = try await events.next() {
            if case .connected(let info) = event.kind, info.peripheral == peripheral { break }
          }
          // The command may have read the value meanwhile, and closed the link.
          try? await stage.askForSecurity(BuiltIn.justWorks.description)
        }
        let result = await command.result()
        #expect(result.text == "encrypted\n", "\(result.errorText)")
        #expect(result.errorText.contains("paired: "))
        #expect(try await peripheral.isPaired)
      }
    }

    @Test("A device with a private address gets its own when it pairs, and stays the same object")
    func privateAddress() async throws {
      try await PairingStage.withHidden { _, peripheral in
        #expect(peripheral.address == BuiltIn.addressOfHidden)
        let outcome = try await peripheral.pair()
        #expect(outcome.isBonded)
        #expect(try await peripheral.info.address == BuiltIn.hidden)
        let known = try await peripheral.central.knownPeripheral(withAddress: BuiltIn.hidden)
        #expect(known?.peripheral == peripheral)
        await peripheral.release()
        try await PairingStage.waitForEnd(of: peripheral)
        try await Contract.connect(peripheral)
        #expect(try await read(Self.encrypted, of: peripheral) == "encrypted")
      }
    }

    @Test("Unpair lets BlueZ forget the device")
    func unpair() async throws {
      try await PairingStage.with(BuiltIn.justWorks) { stage, peripheral in
        try await peripheral.pair()
        try await peripheral.unpair()
        #expect(try await peripheral.central.knownPeripheral(withAddress: BuiltIn.justWorks) == nil)
        let error = await #expect(throws: BLEError.self) { try await peripheral.isPaired }
        #expect(error?.code == .notFound)
        try await PairingStage.find(peripheral).pair()
      }
    }

    @Test("Trust in a device can be given and withdrawn")
    func trust() async throws {
      try await PairingStage.with(BuiltIn.justWorks) { _, peripheral in
        try await peripheral.setTrusted(true)
        #expect(try await peripheral.info.isTrusted)
        try await peripheral.setTrusted(false)
        #expect(try await peripheral.info.isTrusted == false)
      }
    }

    @Test("A blocked device loses its link, and cannot be connected to")
    func block() async throws {
      try await PairingStage.with(BuiltIn.justWorks) { _, peripheral in
        try await peripheral.pair()
        try await peripheral.setBlocked(true)
        try await peripheral.waitUntilDisconnected(timeout: .seconds(10))
        let error = await #expect(throws: BLEError.self) { try await peripheral.connect() }
        #expect(error?.code == .deviceBlocked)
        try await peripheral.setBlocked(false)
        try await peripheral.connect(timeout: .seconds(40))
        #expect(try await read(Self.encrypted, of: peripheral) == "encrypted")
      }
    }

    private func read(_ uuid: BluetoothUUID, of peripheral: Peripheral) async throws -> String {
      let value = try await peripheral.readValue(for: peripheral.characteristic(uuid))
      return String(decoding: value, as: UTF8.self)
    }
  }
}
