// SPDX-License-Identifier: MIT
internal import BLECentral
internal import TestSupport
internal import Testing

extension Contract {
  /// `doctor DEVICE` finds what is wrong, or that nothing is.
  @Suite("Doctor of devices", .serialized)
  struct DeviceDoctor {
    private static let strap = "\(BuiltIn.strap)"
    /// The causes that keep every command from working.
    private static let outages: Set = ["adapter_off", "bluetoothd_fault", "bluetoothd_hangs"]
    private static let privateAddresses = ["70:81:94:0D:FB:AA", "5B:A2:11:B8:1C:FD"]

    private func blectl() async throws -> Blectl { Blectl(bus: try await Stages.shared.value.address) }

    /// Runs a command that succeeds.
    private func run(_ words: String...) async throws {
      let result = try await blectl().start(words).result()
      #expect(result.status == 0, "\(words): \(result.errorText)")
    }

    /// The diagnosis of a device.
    private func diagnosis(
      of device: String, timeout: String = "20s", _ options: [String] = []
    ) async throws -> JSONRecord {
      let result = try await blectl().start(["doctor", device, "--json", "--timeout", timeout] + options)
        .result()
      let records = try result.records
      let diagnosis = try #require(records.last, "\(result.errorText)")
      #expect(diagnosis["event"]?.text == "diagnosis", "\(result.text) \(result.errorText)")
      let isOutage = Self.outages.contains(diagnosis["cause"]?.text ?? "")
      #expect(result.status == (diagnosis["healthy"]?.flag == true ? 0 : isOutage ? 3 : 1))
      return diagnosis
    }

    private func expect(
      _ cause: String, of device: String, timeout: String = "20s", _ options: String...,
      sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
      let diagnosis = try await diagnosis(of: device, timeout: timeout, options)
      #expect(diagnosis["cause"]?.text == cause, "\(diagnosis.described)", sourceLocation: sourceLocation)
      #expect(diagnosis["fix"]?.text?.isEmpty == false, sourceLocation: sourceLocation)
    }

    /// Expects that a device can be used, with a remark.
    private func expectRemark(
      _ cause: String, of device: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
      let diagnosis = try await diagnosis(of: device, timeout: "60s")
      #expect(
        diagnosis["healthy"]?.flag == true, "\(diagnosis.described)", sourceLocation: sourceLocation)
      let findings = diagnosis["findings"]?.elements ?? []
      let remark = findings.first { $0["cause"]?.text == cause }
      #expect(
        remark?["status"]?.text == "warn", "\(findings.compactMap { $0["cause"]?.text })",
        sourceLocation: sourceLocation)
      #expect(remark?["fix"]?.text?.isEmpty == false, sourceLocation: sourceLocation)
    }

    /// Does something whenever a link to the strap has been opened, until `body` is over.
    private func whenLinked(
      _ action: @escaping @Sendable (any Stage) async throws -> Void, _ body: () async throws -> Void
    ) async throws {
      let stage = try await Stages.shared.value
      try await Contract.withCentral { central in
        var events = await central.events().makeAsyncIterator()
        let watching = Task {
          while let event = try await events.next() {
            if case .connected(let info) = event.kind, info.address == BuiltIn.strap {
              try await action(stage)
            }
          }
        }
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        watching.cancel()
        _ = await watching.result
        try result.get()
      }
    }

    @Test("A healthy device has no cause")
    func healthy() async throws {
      let diagnosis = try await diagnosis(of: "Heart Strap", timeout: "60s")
      #expect(diagnosis["healthy"]?.flag == true, "\(diagnosis.described)")
    }

    @Test("A device that does not exist is not heard")
    func notHeard() async throws { try await expect("not_heard", of: "\(BuiltIn.nobody)", timeout: "6s") }

    @Test("A known device that does not advertise is connected elsewhere")
    func connectedElsewhere() async throws {
      let stage = try await Stages.shared.value
      try await run("connect", Self.strap)
      try await run("trust", Self.strap)
      try await run("disconnect", Self.strap)
      try await stage.hide(Self.strap)
      try await expect("connected_elsewhere", of: Self.strap, timeout: "6s")
      try await stage.show(Self.strap)
      try await run("untrust", Self.strap)
    }

    @Test("A beacon accepts no connections")
    func notConnectable() async throws {
      try await expect("not_connectable", of: "\(BuiltIn.iBeacon)", timeout: "60s")
    }

    @Test("A private address that was replaced is recognised, and the device of that name is named")
    func addressRotated() async throws {
      let stage = try await Stages.shared.value
      try await run("connect", Self.strap)
      try await run("disconnect", Self.strap)
      try await stage.withPrivateAddress(
        Self.privateAddresses[0], of: Self.strap, among: Self.privateAddresses
      ) {
        try await rotateAddress(at: stage)
      }
    }

    private func rotateAddress(at stage: any Stage) async throws {
      try await run(
        "scan", "--address", Self.privateAddresses[0], "--name", "Heart Strap", "--count", "1", "--duration",
        "60s")
      try await stage.changeAddress(Self.strap, to: Self.privateAddresses[1])
      let diagnosis = try await diagnosis(of: Self.privateAddresses[0], timeout: "8s")
      #expect(diagnosis["cause"]?.text == "address_rotated", "\(diagnosis.described)")
      #expect(diagnosis["fix"]?.text == "blectl doctor \(Self.privateAddresses[1])")
    }

    @Test("A value that requires pairing, among others that do not, is a remark")
    func needsPairing() async throws {
      try await PairingStage.with(BuiltIn.justWorks) { stage, _ in
        try await expectRemark("needs_pairing", of: "\(BuiltIn.justWorks)")
        #expect(try await stage.bondCount("\(BuiltIn.justWorks)") == 0)
      }
    }

    @Test("A value whose read ends the link, since the device refuses to pair for it, is the cause")
    func pairingRefused() async throws {
      try await PairingStage.with(BuiltIn.refuses) { _, _ in
        try await expect("pairing_refused", of: "\(BuiltIn.refuses)", timeout: "60s")
      }
    }

    @Test("A slow link is a remark")
    func slowLink() async throws {
      let stage = try await Stages.shared.value
      try await run("disconnect", Self.strap)
      try await stage.withPacketTime(.milliseconds(300)) {
        try await expectRemark("slow_link", of: Self.strap)
      }
    }

    @Test("A bluetoothd that hangs is the cause, before the attempt and while the device is listened for")
    func hangs() async throws {
      let stage = try await Stages.shared.value
      try await stage.freezeDaemon()
      try await expect("bluetoothd_hangs", of: Self.strap, timeout: "4s")
      try await stage.thawDaemon()
      let doctor = try await blectl().start(["doctor", "\(BuiltIn.nobody)", "--json"])
      #expect(await doctor.waitForOutput { $0.contains(#""stage":"known""#) })
      try await stage.freezeDaemon()
      let result = await doctor.result()
      try await stage.thawDaemon()
      // BlueZ 5.66 has missed the end of the discovery, and would scan in vain from now on.
      try await stage.killDaemon()
      try await stage.startDaemon()
      #expect(result.status == 3)
      #expect(try result.records.last?["cause"]?.text == "bluetoothd_hangs", "\(result.text)")
    }

    @Test(
      "A device that has lost its bond is recognised", .enabled(if: !Stages.isReal || Stages.mayLoseBonds))
    func bondLost() async throws {
      try await PairingStage.with(BuiltIn.justWorks) { stage, peripheral in
        try await peripheral.pair()
        try await peripheral.disconnect()
        try await stage.forgetBonds("\(BuiltIn.justWorks)")
        try await expect("bond_lost", of: "\(BuiltIn.justWorks)", timeout: "60s")
      }
    }

    @Test("Services that do not come are not mistaken for a device that does not answer")
    func servicesUnresolved() async throws {
      let stage = try await Stages.shared.value
      try await run("disconnect", Self.strap)
      try await stage.withPacketTime(.seconds(2)) {
        try await expect("services_unresolved", of: Self.strap, timeout: "9s")
      }
    }

    @Test("Links that the device ends at once are the cause")
    func linkDrops() async throws {
      let stage = try await Stages.shared.value
      // Linux 6.1.192 fails when a link ends while bluetoothd still opens its channel (list corruption in hci_chan_del).
      let time: Duration = Stages.isReal ? .seconds(1) : .milliseconds(50)
      try await stage.withLinkTime(time, of: Self.strap) {
        try await expect("link_drops", of: Self.strap, timeout: "12s")
      }
    }

    @Test("A blocked device is not mistaken for an absent one")
    func blocked() async throws {
      try await run("connect", Self.strap)
      try await run("block", Self.strap)
      try await expect("blocked", of: Self.strap)
      try await run("unblock", Self.strap)
    }

    @Test("An adapter that is off is the cause")
    func adapterOff() async throws {
      let stage = try await Stages.shared.value
      // Where there is another adapter, that is used otherwise.
      try await Contract.withCentral(adapter: "hci0") { central in
        var states = await central.stateUpdates().makeAsyncIterator()
        try await stage.switchOff()
        while let state = await states.next(), state != .poweredOff {}
        try await expect("adapter_off", of: Self.strap, "-i", "hci0")
        try await stage.switchOn()
        while let state = await states.next(), state != .poweredOn {}
      }
    }

    @Test("A bluetoothd that ends during the attempt is the cause")
    func daemonFault() async throws {
      let stage = try await Stages.shared.value
      // The examination must not be over before bluetoothd is.
      try await stage.withPacketTime(.seconds(2)) {
        try await whenLinked({ try await $0.killDaemon() }) {
          try await expect("bluetoothd_fault", of: Self.strap, timeout: "60s")
        }
      }
      try await stage.startDaemon()
    }
  }
}

extension JSONRecord {
  /// The cause and its evidence, for the message of a test.
  fileprivate var described: String {
    "\(self["cause"]?.text ?? "healthy"): \(self["evidence"]?.elements.compactMap(\.text) ?? [])"
  }
}
