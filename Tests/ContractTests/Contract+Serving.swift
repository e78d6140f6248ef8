// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEPeripheral
internal import BLEWorld
internal import TestSupport
internal import Testing

extension Contract {
  @Suite("Serving")
  struct Serving {
    private let one = ServingStage.uuid(1)

    /// The ATT error; BlueZ has a name of its own for 0x06.
    private func code(of error: BLEError?) -> UInt8? {
      error?.code == .notSupported ? 0x06 : error?.attError?.code
    }

    // MARK: Trees

    @Test("A central finds the services as they were published")
    func tree() async throws {
      let all: [(BluetoothUUID, CharacteristicProperties)] = [
        (ServingStage.uuid(1), .read), (ServingStage.uuid(2), [.read, .write, .notify]),
        (ServingStage.uuid(3), [.writeWithoutResponse, .indicate]), (ServingStage.uuid(2), .notify),
        (ServingStage.uuid(4), [.write, .reliableWrite]),
      ]
      try await ServingStage.run { manager, central in
        var characteristics = all.map { LocalCharacteristic($0.0, $0.1) }
        // Two formats are permitted, beside an aggregate format (2905).
        let formats: [[UInt8]] = [[4, 0, 0, 0x27, 1, 0, 0], [6, 0, 0, 0x27, 1, 0, 0]]
        characteristics[0].descriptors =
          [LocalDescriptor(BuiltIn.uuid("2901"), value: Array("a value".utf8))]
          + formats.map { LocalDescriptor(BuiltIn.uuid("2904"), value: $0) }
        try await manager.add(LocalService(ServingStage.uuid, characteristics))
        try await manager.startAdvertising(Advertisement(services: [ServingStage.uuid]))
        let peripheral = try await ServingStage.find(central)
        try await Contract.connect(peripheral)
        let services = try await peripheral.discoverServices()
        let found = services.first { $0.uuid == ServingStage.uuid }
        let service = try #require(found)
        #expect(service.characteristics.map(\.uuid) == all.map(\.0))
        // BlueZ adds this one to those that it describes in 2900.
        let properties = service.characteristics.map { $0.properties.subtracting(.extendedProperties) }
        #expect(properties == all.map(\.1))
        let descriptor = try #require(service.characteristics[0].descriptors.first)
        #expect(try await peripheral.readValue(for: descriptor) == Array("a value".utf8))
        var values: [[UInt8]] = []
        for descriptor in service.characteristics[0].descriptors where descriptor.uuid == BuiltIn.uuid("2904")
        {
          values.append(try await peripheral.readValue(for: descriptor))
        }
        #expect(values == formats)
      }
    }

    @Test(
      "A write too long for a bluetoothd before 5.69 is not sent to it; a newer one takes 512 bytes at once"
    )
    func longestWrites() async throws {
      let characteristic = LocalCharacteristic(one, [.write, .writeWithoutResponse])
      try await ServingStage.serve([characteristic]) { served in
        let (peripheral, service) = (served.peripheral, served.service)
        var events = await peripheral.central.events().makeAsyncIterator()
        // bluetoothd reads the product after the services.
        while try await peripheral.info.modalias == nil { _ = try await events.next() }
        let limit = Stages.version < .v5_82 ? 510 : 512
        #expect(try await peripheral.info.longestWrite == limit)
        let found = try await peripheral.characteristic(one)
        for type in [WriteType.withResponse, .withoutResponse] {
          for count in [510, 511, 512] {
            let value = [UInt8](repeating: UInt8(count & 0xff), count: count)
            if count > limit {
              let error = await #expect(throws: BLEError.self) {
                try await peripheral.writeValue(value, for: found, type: type)
              }
              #expect(error?.code == .invalidLength)
              #expect(error?.message.contains("takes 510 in one write at most") == true)
              await #expect(throws: BLEError.self) {
                try await peripheral.writeValues([value], for: found, type: type)
              }
            } else {
              try await peripheral.writeValue(value, for: found, type: type)
              try await peripheral.confirmWrites()
              #expect(await service.characteristics[0].value == value)
            }
          }
        }
      }
    }

    @Test("The handles that BlueZ chose are known, and a fixed one is kept")
    func handles() async throws {
      try await ServingStage.run { manager, central in
        let fixed = LocalCharacteristic(ServingStage.uuid(2), .read, handle: 0x7000)
        let service = try await manager.add(
          LocalService(ServingStage.uuid, [LocalCharacteristic(one, .read), fixed]))
        let first = try #require(await service.characteristics[0].handle)
        #expect(first > 0)
        #expect(await service.characteristics[1].handle == 0x7000)
      }
    }

    @Test("A service that was removed is gone from a connected central")
    func removal() async throws {
      try await ServingStage.serve([LocalCharacteristic(one, .read)]) { served in
        let (manager, peripheral) = (served.manager, served.peripheral)
        let events = await peripheral.central.events()
        let other = try await manager.add(
          LocalService(ServingStage.uuid(0x100), [LocalCharacteristic(one, .read, value: [7])]))
        let added = try await ServingStage.find(one, in: ServingStage.uuid(0x100), on: peripheral, events)
        #expect(try await peripheral.readValue(for: added) == [7])
        try await manager.remove(other)
        let error = await #expect(throws: BLEError.self) { try await peripheral.readValue(for: added) }
        // The central may not know yet that it is gone; then the peripheral refuses, with one of two errors. bluetoothd
        // 5.66 says NotConnected while it removes the object, and keeps the link.
        let isGone =
          [.notFound, .disconnected].contains(error?.code)
          || [.invalidHandle, .databaseOutOfSync].contains(error?.attError)
        #expect(isGone, "\(error.map { "\($0)" } ?? "no error")")
        #expect(try await peripheral.readValue(for: peripheral.characteristic(one)) == [])
      }
    }

    // MARK: Reads

    @Test("A value of any length is served from memory", arguments: [0, 1, 20, 514 - 2, 511, 512])
    func fixedValue(_ count: Int) async throws {
      let value = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      try await ServingStage.serve([LocalCharacteristic(one, .read, value: value)]) { served in
        let peripheral = served.peripheral
        let read = try await peripheral.readValue(for: peripheral.characteristic(one))
        #expect(read == value)
      }
    }

    @Test("A handler answers reads, and learns who reads")
    func readHandler() async throws {
      let requests = Received<ReadRequest>()
      let characteristic = LocalCharacteristic(
        one, .read,
        reading: .immediate { request in
          requests.add(request)
          return [1, 2, 3]
        })
      try await ServingStage.serve([characteristic]) { served in
        let peripheral = served.peripheral
        #expect(try await peripheral.readValue(for: peripheral.characteristic(one)) == [1, 2, 3])
        let request = try #require(await requests.first(1).first)
        let adapter = try await peripheral.central.currentAdapter()
        #expect(request.central.address.description == adapter.address)
        #expect(request.uuid == one)
        #expect(request.offset == 0)
        #expect(request.mtu >= 23)
      }
    }

    @Test("A refusal gives the central its ATT error if BlueZ carries it, else 0x0e")
    func errors() async throws {
      let refusal = Lock<UInt8>(0)
      let refusing = LocalCharacteristic(
        one, [.read, .write],
        reading: .immediate { _ throws(ATTError) in throw ATTError(code: refusal.withLock { $0 }) },
        writing: .immediate { _ throws(ATTError) in throw ATTError(code: refusal.withLock { $0 }) })
      let carried = Set<UInt8>([0x06, 0x07, 0x08, 0x0d, 0xfe]).union(0x80...0x9f)
      try await ServingStage.serve([refusing]) { served in
        let peripheral = served.peripheral
        let attribute = try await peripheral.characteristic(one)
        for tried in Array(1...0x14) + [0x7f] + Array(0x80...0xa0) + [0xfc, 0xfd, 0xfe, 0xff] as [UInt8] {
          refusal.withLock { $0 = tried }
          let read = await #expect(throws: BLEError.self) { try await peripheral.readValue(for: attribute) }
          let write = await #expect(throws: BLEError.self) {
            try await peripheral.writeValue([1], for: attribute)
          }
          let expected = carried.contains(tried) ? tried : 0x0e
          #expect(code(of: read) == (tried == 0x02 ? tried : expected))
          #expect(code(of: write) == (tried == 0x03 ? tried : expected))
        }
      }
    }

    @Test("An asynchronous handler has 500 ms; then the central gets an error")
    func deferredRead() async throws {
      let quick = LocalCharacteristic(
        one, .read,
        reading: .deferred { _ in
          await Task.yield()
          return [9]
        })
      let silence = AsyncStream<Never>.makeStream()
      let slow = LocalCharacteristic(
        ServingStage.uuid(2), .read,
        reading: .deferred { _ in
          for await _ in silence.stream {}
          return []
        })
      try await ServingStage.serve([quick, slow]) { served in
        let peripheral = served.peripheral
        #expect(try await peripheral.readValue(for: peripheral.characteristic(one)) == [9])
        let attribute = try await peripheral.characteristic(ServingStage.uuid(2))
        let error = await #expect(throws: BLEError.self) { try await peripheral.readValue(for: attribute) }
        #expect(error?.attError == .unlikelyError)
      }
    }

    @Test("A value is read from an offset on: the rest of it, or nothing at its end")
    func offsets() async throws {
      var characteristic = LocalCharacteristic(one, [.read, .notify], value: [1, 2, 3, 4, 5, 6])
      characteristic.descriptors = [LocalDescriptor(BuiltIn.uuid("2901"), value: Array("a value".utf8))]
      try await ServingStage.serve([characteristic]) { served in
        let peripheral = served.peripheral
        let found = try await peripheral.characteristic(one)
        let notifications = try await peripheral.notifications(for: found)
        // bluetoothd answers this without an argument, since it has read nothing before.
        #expect(try await peripheral.readValue(for: found, offset: 6) == [])
        #expect(try await peripheral.readValue(for: found, offset: 4) == [5, 6])
        #expect(try await peripheral.readValue(for: found, offset: 0) == [1, 2, 3, 4, 5, 6])
        #expect(try await peripheral.readValue(for: found, offset: 6) == [])
        let error = await #expect(throws: BLEError.self) {
          try await peripheral.readValue(for: found, offset: 7)
        }
        #expect(error?.code == .invalidLength && error?.attError == .invalidOffset)
        let descriptor = try #require(found.descriptors.first { $0.uuid == BuiltIn.uuid("2901") })
        #expect(try await peripheral.readValue(for: descriptor, offset: 2) == Array("value".utf8))
        // None of these appears in the subscription.
        try await served.service.characteristics[0].send([7])
        #expect(try await ServingStage.values(of: notifications, until: [7]).isEmpty)
      }
    }

    @Test("Behind the bytes of a value that has become shorter, bluetoothd returns those that it has kept")
    func keptBytes() async throws {
      let characteristic = LocalCharacteristic(one, .read, value: [1, 2, 3, 4, 5, 6])
      try await ServingStage.serve([characteristic]) { served in
        let peripheral = served.peripheral
        let found = try await peripheral.characteristic(one)
        #expect(try await peripheral.readValue(for: found) == [1, 2, 3, 4, 5, 6])
        try await served.service.characteristics[0].update([9, 8, 7])
        #expect(try await peripheral.readValue(for: found, offset: 2) == [7, 4, 5, 6])
        #expect(try await peripheral.readValue(for: found) == [9, 8, 7])
        #expect(try await peripheral.readValue(for: found, offset: 2) == [7])
      }
    }

    // MARK: Writes

    @Test(
      "A central's write reaches the handler whole",
      arguments: [
        (1, WriteType.withResponse), (500, .withResponse), (510, .withResponse), (20, .withoutResponse),
      ])
    func writes(_ count: Int, _ type: WriteType) async throws {
      let requests = Received<WriteRequest>()
      let properties: CharacteristicProperties = type == .withResponse ? .write : .writeWithoutResponse
      let characteristic = LocalCharacteristic(
        one, properties, writing: .immediate { requests.add($0) })
      let value = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 3) }
      try await ServingStage.serve([characteristic]) { served in
        let peripheral = served.peripheral
        try await peripheral.writeValue(value, for: peripheral.characteristic(one), type: type)
        let request = try #require(await requests.first(1).first)
        #expect(request.value == value)
        #expect(request.offset == 0)
      }
    }

    @Test("A stored value is read back")
    func stored() async throws {
      try await ServingStage.serve([LocalCharacteristic(one, [.read, .write])]) { served in
        let peripheral = served.peripheral
        let attribute = try await peripheral.characteristic(one)
        let value = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
        try await peripheral.writeValue(value, for: attribute)
        #expect(try await peripheral.readValue(for: attribute) == value)
        #expect(await served.characteristic.value == value)
      }
    }
  }
}
