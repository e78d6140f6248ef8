// SPDX-License-Identifier: MIT
internal import BLECentral
internal import TestSupport
internal import Testing

extension Contract {
  @Suite("Outages")
  struct Outages {
    /// Runs a test, and leaves bluetoothd running and answering behind it.
    private func onStage(_ body: (any Stage) async throws -> Void) async throws {
      let stage = try await Stages.shared.value
      do {
        try await body(stage)
      } catch {
        try? await stage.thawDaemon()
        try? await stage.startDaemon()
        throw error
      }
    }

    @Test("Bluetoothd that dies ends a command, with status 3")
    func daemonDies() async throws {
      try await onStage { stage in
        let blectl = Blectl(bus: stage.address)
        let running = try blectl.start(["subscribe", "Heart Strap", "2a37"])
        #expect(await running.waitForLines(1))
        try await stage.killDaemon()
        let result = await running.result()
        #expect(result.status == 3)
        #expect(result.errorText.contains("the Bluetooth service (bluetoothd) ended"))

        let later = try await blectl.run("devices")
        #expect(later.status == 3)
        #expect(later.errorText.contains("hint: sudo systemctl start bluetooth"))
        try await stage.startDaemon()
        #expect(try await blectl.run("adapter").status == 0)
      }
    }

    @Test(
      "When bluetoothd ends while it looks for the services of a device, the hint is to forget the device")
    func endsWithCache() async throws {
      try await onStage { stage in
        try await Contract.withCentral { central in
          for hint in [
            "if it ends again, unpair the device", "start the Bluetooth service, and unpair the device",
          ] {
            let peripheral = try await Contract.find(BuiltIn.strap, central)
            // The services take much longer than the kill, on a busy machine too.
            try await stage.setPacketTime(.seconds(2))
            var events = await central.events().makeAsyncIterator()
            async let error = #expect(throws: BLEError.self) { try await peripheral.connect() }
            while let event = try await events.next() {
              if case .connected = event.kind { break }
            }
            try await stage.killDaemon()
            let ended = await error
            #expect(ended?.code == .serviceUnavailable)
            #expect(ended?.hint?.contains(hint) == true, "\(ended?.hint ?? "")")
            #expect(ended?.message.contains("keys") == false)
            try await stage.setPacketTime(Stages.packetTime)
            try await stage.startDaemon()
            var states = await central.stateUpdates().makeAsyncIterator()
            while let state = await states.next(), state != .poweredOn {}
          }
        }
      }
    }

    @Test("When bluetoothd ends while it opens a link to a paired device, the hint is to unpair the device")
    func endsWithBond() async throws {
      try await onStage { stage in
        try await PairingStage.with(BuiltIn.justWorks) { _, peripheral in
          try await peripheral.pair()
          try await peripheral.disconnect()
          try await stage.setPacketTime(.milliseconds(300))
          let central = peripheral.central
          var events = await central.events().makeAsyncIterator()
          let command = try Blectl(bus: stage.address).start(["connect", "\(peripheral.address)"])
          while let event = try await events.next() {
            if case .connected = event.kind { break }
          }
          try await stage.killDaemon()
          let result = await command.result()
          try await stage.setPacketTime(Stages.packetTime)
          try await stage.startDaemon()
          var states = await central.stateUpdates().makeAsyncIterator()
          while let state = await states.next(), state != .poweredOn {}
          #expect(result.status == 3)
          #expect(
            result.errorText.contains(
              "the device may have lost the keys of the pairing, or moved its attributes"),
            "\(result.errorText)")
          let hint = "then blectl unpair \(peripheral.address), and pair again"
          #expect(
            result.errorText.contains("hint: sudo systemctl start bluetooth, \(hint)"),
            "\(result.errorText)")
        }
      }
    }

    @Test("Bluetoothd that hangs is named at the time limit, with status 3: no device is blamed")
    func daemonHangs() async throws {
      try await onStage { stage in
        try await stage.freezeDaemon()
        let result = try await Blectl(bus: stage.address).run("devices", "--timeout", "500ms")
        #expect(result.status == 3)
        #expect(result.errorText.contains("does not answer"))
        #expect(result.errorText.contains("hint: sudo systemctl restart bluetooth"))
        try await stage.thawDaemon()
      }
    }

    @Test("A request and an attempt to connect that bluetoothd itself does not answer say so")
    func daemonHangsUnderRequest() async throws {
      try await onStage { stage in
        try await Contract.withPeripheral(BuiltIn.strap) { strap in
          let location = try await strap.characteristic(BuiltIn.uuid("2a38"))
          let other = try await Contract.find(BuiltIn.thermometer, strap.central)
          try await stage.freezeDaemon()
          let read = await #expect(throws: BLEError.self) {
            try await strap.readValue(for: location, timeout: .seconds(1))
          }
          let connecting = await #expect(throws: BLEError.self) {
            try await other.connect(timeout: .seconds(1))
          }
          for error in [read, connecting] {
            #expect(error?.code == .timedOut)
            #expect(error?.hint == "restart the Bluetooth service: bluetoothd", "\(error?.description ?? "")")
          }
          try await stage.thawDaemon()
        }
      }
    }

    @Test("A manager sees bluetoothd go and come back")
    func daemonComesBack() async throws {
      try await onStage { stage in
        try await Contract.withCentral { central in
          var states = await central.stateUpdates().makeAsyncIterator()
          #expect(await states.next() == .poweredOn)
          try await stage.killDaemon()
          #expect(await states.next() == .serviceUnavailable)
          try await stage.startDaemon()
          var state = await states.next()
          while let now = state, now != .poweredOn { state = await states.next() }
          #expect(state == .poweredOn)
          let peripheral = try await Contract.find(BuiltIn.wristband, central)
          try await Contract.connect(peripheral)
          let revision = try await peripheral.characteristic(.softwareRevision)
          #expect(try await peripheral.readValue(for: revision) == Array("V1.0.1.81".utf8))
        }
      }
    }

    @Test("A scan that ends because bluetoothd is stopped names bluetoothd, not the adapter")
    func daemonStops() async throws {
      try await onStage { stage in
        try await Contract.withCentral { central in
          var events = central.scan(reportsDuplicates: true).makeAsyncIterator()
          _ = try await events.next()
          try await stage.stopDaemon()
          let error = await #expect(throws: BLEError.self) { while try await events.next() != nil {} }
          #expect(error?.code == .serviceUnavailable)
          try await stage.startDaemon()
          var states = await central.stateUpdates().makeAsyncIterator()
          while let state = await states.next(), state != .poweredOn {}
        }
      }
    }

    @Test("A request under way ends at once when bluetoothd dies")
    func requestEnds() async throws {
      try await onStage { stage in
        try await Contract.withPeripheral(BuiltIn.bench) { peripheral in
          let stalled = try await peripheral.characteristic(BuiltIn.bench(0x010d))
          let reading = Task { try await peripheral.readValue(for: stalled) }
          try await stage.killDaemon()
          let error = await #expect(throws: BLEError.self) { try await reading.value }
          #expect(error?.code == .serviceUnavailable)
        }
        try await stage.startDaemon()
      }
    }

    @Test("An adapter that is off is reported, and can be switched on again")
    func adapterOff() async throws {
      try await onStage { stage in
        let blectl = Blectl(bus: stage.address)
        let scanning = try blectl.start(["scan", "--duration", "0", "--duplicates"])
        #expect(await scanning.waitForLines(1))
        #expect(try await blectl.run("adapter", "off").status == 0)
        let interrupted = await scanning.result()
        #expect(interrupted.status == 3)
        #expect(interrupted.errorText.contains("is off"))
        let scan = try await blectl.run("scan", "--duration", "1s")
        #expect(scan.status == 3)
        #expect(scan.errorText.contains("hint: blectl adapter on"))
        #expect(try await blectl.run("adapter", "on").status == 0)
        #expect(try await blectl.run("scan", "--count", "1", "--duration", "60s").status == 0)
      }
    }
  }
}
