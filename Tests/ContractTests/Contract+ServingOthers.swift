// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEPeripheral
internal import BLEWorld
internal import BlueZSimulator
internal import TestSupport
internal import Testing

extension Contract {
  /// Single ATT requests, which a central that is BlueZ does not send.
  @Suite("Serving a central that is not BlueZ")
  struct ServingOthers {
    private let one = ServingStage.uuid(1)
    private let two = ServingStage.uuid(2)
    private let three = ServingStage.uuid(3)

    private func bytes(_ range: Range<Int>) -> [UInt8] { range.map { UInt8(truncatingIfNeeded: $0 &* 7) } }

    @Test("A secondary service is found where it is included")
    func includedService() async throws {
      // BlueZ finds it too, but not if it has cached other services of the same address.
      let inner = LocalService(
        ServingStage.uuid(0x200), [LocalCharacteristic(ServingStage.uuid(0x201), .read, value: [3])],
        isPrimary: false)
      let outer = LocalService(
        ServingStage.uuid, [LocalCharacteristic(one, .read, value: [2])], includedServices: [inner])
      try await ServingStage.serveToOther(outer) { stage, _, _ in
        try await stage.expect(.read(ServingStage.uuid(0x201), offset: nil), .done([3]))
        try await stage.expect(.read(one, offset: nil), .done([2]))
      }
    }

    @Test("A service that two others include is published once, and both include it")
    func sharedService() async throws {
      let inner = LocalService(
        ServingStage.uuid(0x200), [LocalCharacteristic(ServingStage.uuid(0x201), .read, value: [3])])
      let outer = [0x300, 0x400].map {
        LocalService(
          ServingStage.uuid($0), [LocalCharacteristic(one, .read, value: [2])], includedServices: [inner])
      }
      try await ServingStage.run { manager, central in
        let published = try await manager.add(outer)
        #expect(
          published.map(\.includedCharacteristics).map { $0.map(\.uuid) }
            == [[0x201], [0x201]].map { $0.map(ServingStage.uuid) })
        #expect(published[0].includedCharacteristics == published[1].includedCharacteristics)
        try await manager.startAdvertising(Advertisement(name: "Served", services: [ServingStage.uuid]))
        let peripheral = try await ServingStage.find(central)
        try await Contract.connect(peripheral)
        let services = try await peripheral.discoverServices()
        let found = services.filter { $0.uuid == inner.uuid }
        #expect(found.count == 1)
        let including = services.filter { service in outer.contains { $0.uuid == service.uuid } }
        #expect(including.map(\.includedServices) == Array(repeating: found.map(\.handle), count: 2))
        try await manager.remove(published[1])
        await #expect(throws: BLEError.self) { try await published[0].characteristics[0].send([1]) }
      }
    }

    // MARK: Reads

    @Test("A long value is read in parts that belong together; an offset behind its end is refused")
    func offsets() async throws {
      let characteristic = LocalCharacteristic(one, .read, value: bytes(0..<250))
      try await ServingStage.serveToOther([characteristic], mtu: 100) { stage, _, service in
        let published = service.characteristics[0]
        try await stage.expect(.read(one, offset: nil), .done(bytes(0..<99)))
        try await published.update([1])
        try await stage.expect(.read(one, offset: 99), .done(bytes(99..<198)))
        try await stage.expect(.read(one, offset: 198), .done(bytes(198..<250)))
        try await stage.expect(.read(one, offset: nil), .done([1]))
        try await stage.expect(.read(one, offset: 1))
        try await stage.expect(.read(one, offset: 2), .refused(0x07))
      }
    }

    @Test("A read at an offset is reported with the bytes that were read, and one behind the end as refused")
    func reportedOffsets() async throws {
      let characteristic = LocalCharacteristic(one, .read, value: [1, 2, 3, 4])
      try await ServingStage.serveToOther([characteristic]) { stage, manager, _ in
        var events = await manager.events().makeAsyncIterator()
        try await stage.expect(.read(one, offset: 1), .done([2, 3, 4]))
        try await stage.expect(.read(one, offset: 9), .refused(0x07))
        try await stage.expect(.read(one, offset: nil), .done([1, 2, 3, 4]))
        var reported: [String] = []
        try await ServingStage.wait(for: &events) { kind in
          switch kind {
          case .read(let access): reported.append("read \(access.offset) \(access.value)")
          case .refused(let access, let error):
            reported.append("refused \(access.offset) \(access.value) \(error.code)")
          default: break
          }
          return reported.count == 3
        }
        #expect(reported == ["read 1 [2, 3, 4]", "refused 9 [] 7", "read 0 [1, 2, 3, 4]"])
      }
    }

    @Test("A handler that answers later may give the rest of the value from the offset on")
    func restFromOffset() async throws {
      let offsets = Lock<[Int]>([])
      let pending = LocalCharacteristic(
        one, .read,
        reading: .pending { request, answer in
          offsets.withLock { $0.append(request.offset) }
          Task { answer.give(request.offset > 4 ? .failure(.invalidOffset) : .success(.rest([7, 8]))) }
        })
      try await ServingStage.serveToOther([pending]) { stage, _, _ in
        try await stage.expect(.read(one, offset: 3), .done([7, 8]))
        try await stage.expect(.read(one, offset: 5), .refused(0x07))
        try await stage.expect(.read(one, offset: nil), .done([7, 8]))
      }
      #expect(offsets.withLock { $0 } == [3, 5, 0])
    }

    @Test("A request that is not permitted is refused without asking the handler")
    func notPermitted() async throws {
      let asked = Lock(0)
      let unreadable = LocalCharacteristic(
        one, .write,
        reading: .immediate { _ in
          asked.withLock { $0 += 1 }
          return []
        })
      let unwritable = LocalCharacteristic(
        two, .read, writing: .immediate { _ in asked.withLock { $0 += 1 } })
      try await ServingStage.serveToOther([unreadable, unwritable]) { stage, _, _ in
        try await stage.expect(.read(one, offset: nil), .refused(0x02))
        try await stage.expect(.write(two, [1]), .refused(0x03))
        try await stage.expect(.prepare(two, offset: 0, [1]), .refused(0x03))
      }
      #expect(asked.withLock { $0 } == 0)
    }

    // MARK: Writes

    @Test(
      "BlueZ 5.66 takes 510 bytes in one request at most, 5.82 takes 512; a refusal is lost where no response is expected"
    )
    func singleWrites() async throws {
      let requests = Received<WriteRequest>()
      let refuse = WriteHandler.immediate { request throws(ATTError) in
        requests.add(request)
        throw .insufficientAuthorization
      }
      let all = [
        LocalCharacteristic(one, .write), LocalCharacteristic(two, .writeWithoutResponse, writing: refuse),
        LocalCharacteristic(three, .write, writing: refuse),
      ]
      try await ServingStage.serveToOther(all) { stage, _, service in
        let limit = Stages.version < .v5_82 ? 510 : 512
        try await stage.expect(.write(one, bytes(0..<limit)))
        try await stage.expect(.write(one, bytes(0..<limit + 1)), .refused(0x0d))
        #expect(await service.characteristics[0].value == bytes(0..<limit))
        // BlueZ lets requests and commands pass, whichever of the two is permitted.
        try await stage.expect(.write(two, [1]))
        try await stage.expect(.write(three, [2]), .refused(0x08))
        try await stage.expect(.command(three, [3]))
        let written = await requests.first(3).map(\.value)
        #expect(written == [[1], [2], [3]])
      }
    }

    @Test("A long write arrives as one request when it is executed, and not at all when it is cancelled")
    func longWrite() async throws {
      let requests = Received<WriteRequest>()
      let characteristic = LocalCharacteristic(one, .write, writing: .immediate { requests.add($0) })
      try await ServingStage.serveToOther([characteristic], mtu: 100) { stage, _, _ in
        try await stage.expect(.prepare(one, offset: 0, [0xff]))
        try await stage.expect(.cancel)
        for offset in [0, 50, 100] {
          let part = bytes(offset..<(offset + 50))
          try await stage.expect(.prepare(one, offset: offset, part))
        }
        try await stage.expect(.execute)
        let request = try #require(await requests.first(1).first)
        #expect(request.value == bytes(0..<150))
        #expect(request.central.address == BuiltIn.central)
        #expect(request.mtu == 100)
      }
    }

    @Test("Writes that were prepared for several characteristics fail, unless all are reliable")
    func unreliable() async throws {
      let all = [LocalCharacteristic(one, [.write, .reliableWrite]), LocalCharacteristic(two, .write)]
      try await ServingStage.serveToOther(all) { stage, _, service in
        try await stage.expect(.prepare(one, offset: 0, [1]))
        try await stage.expect(.prepare(two, offset: 0, [2]))
        try await stage.expect(.execute, .refused(0x06))
        for characteristic in service.characteristics { #expect(await characteristic.value == []) }
      }
    }

    @Test("When one of several prepared writes is refused, those before it stay written")
    func partlyRefused() async throws {
      let refusing = LocalCharacteristic(
        two, [.write, .reliableWrite],
        writing: .immediate { _ throws(ATTError) in throw ATTError(code: 0x85) })
      let all = [
        LocalCharacteristic(one, [.write, .reliableWrite]), refusing,
        LocalCharacteristic(three, [.write, .reliableWrite]),
      ]
      try await ServingStage.serveToOther(all) { stage, _, service in
        for (uuid, value) in [(one, UInt8(1)), (two, 2), (three, 3)] {
          try await stage.expect(.prepare(uuid, offset: 0, [value]))
        }
        try await stage.expect(.execute, .refused(0x85))
        #expect(await service.characteristics[0].value == [1])
        #expect(await service.characteristics[2].value == [])
      }
    }

    @Test("BlueZ keeps 30 prepared parts of a central, and 512 bytes of a value")
    func preparedLimits() async throws {
      try await ServingStage.serveToOther([LocalCharacteristic(one, [.write, .reliableWrite])]) {
        stage, _, _ in
        try await stage.expect(.prepare(one, offset: 500, bytes(0..<13)), .refused(0x0d))
        for part in 0..<30 {
          try await stage.expect(.prepare(one, offset: 2 * part, [1]))
        }
        try await stage.expect(.prepare(one, offset: 100, [1]), .refused(0x09))
        try await stage.expect(.cancel)
        try await stage.expect(.prepare(one, offset: 0, [1]))
      }
    }

    // MARK: Subscriptions

    @Test(
      "Each of two centrals gets each value once, and one that hangs up takes nothing from the other",
      arguments: [UpdateTransport.signals, .acquireNotify])
    func twoCentrals(_ transport: UpdateTransport) async throws {
      try await ServingStage.serve([LocalCharacteristic(one, .notify, updateTransport: transport)]) {
        served in
        let (characteristic, peripheral) = (served.characteristic, served.peripheral)
        let stage = try await Stages.twoAdapters.value
        var events = await served.manager.events().makeAsyncIterator()
        let notifications = try await peripheral.notifications(for: peripheral.characteristic(one))
        async let received = ServingStage.values(of: notifications, until: [0xff])
        try await ServingStage.wait(for: &events) { if case .subscribed = $0 { true } else { false } }
        try await ServingStage.connectOther(peripheral.central)
        try await stage.expect(.configure(one, 2), .refused(0xfd))
        try await stage.expect(.configure(one, 1))
        // bluetoothd before 5.69 does not say that another one shares the socket; later ones ask for another socket, and
        // values that are sent before reach the first central only.
        if transport == .signals || Stages.version >= .v5_82 {
          try await ServingStage.wait(for: &events) { if case .subscribed = $0 { true } else { false } }
        }
        for number in UInt8(0)..<50 { try await characteristic.send([number]) }
        let values = try await stage.receivedByCentral(one, atLeast: 50)
        let sent = (UInt8(0)...50).map { [$0] }
        #expect(values == Array(sent.dropLast()))
        try await stage.disconnectCentral()
        try await ServingStage.wait(for: &events) {
          if case .disconnected(let central) = $0 { central.address == BuiltIn.central } else { false }
        }
        #expect(await characteristic.isSubscribed)
        try await characteristic.send([50])
        try await characteristic.send([0xff])
        let others = try await received
        #expect(others == sent)
      }
    }

    // MARK: Hazards

    @Test("A central that hangs up while its request is open ends bluetoothd; then everything comes back")
    func hangUpDuringRead() async throws {
      let silence = AsyncStream<Never>.makeStream()
      let slow = LocalCharacteristic(
        two, .read,
        reading: .deferred { _ in
          for await _ in silence.stream {}
          return []
        })
      try await ServingStage.serveToOther([LocalCharacteristic(one, .read, value: [1]), slow]) {
        stage, manager, _ in
        var events = await manager.events().makeAsyncIterator()
        try await stage.expect(.hangUpDuringRead(two))
        try await stage.letDaemonDie()
        try await ServingStage.wait(for: &events) {
          if case .state(.serviceUnavailable) = $0 { true } else { false }
        }
        try await stage.startDaemon()
        try await ServingStage.wait(for: &events) { if case .advertisingStarted = $0 { true } else { false } }
        let adapter = try #require(await manager.adapterAddress)
        try await stage.connectCentral(to: "\(adapter)", mtu: 517)
        try await stage.expect(.read(one, offset: nil), .done([1]))
      }
    }
  }
}
