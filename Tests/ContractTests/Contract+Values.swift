// SPDX-License-Identifier: MIT
internal import BLECentral
internal import TestSupport
internal import Testing

extension Contract {
  @Suite("Trees and values")
  struct Values {
    private func bench<Result>(_ body: (Peripheral) async throws -> Result) async throws -> Result {
      try await Contract.withPeripheral(BuiltIn.bench, body)
    }

    @Test("The wristband's tree has exactly the properties of the scenario")
    func wristbandTree() async throws {
      try await Contract.withPeripheral(BuiltIn.wristband) { peripheral in
        let services = try await peripheral.discoverServices()
        for (service, expected) in Wristband.tree {
          let found = try #require(services.first { $0.uuid == service }, "service \(service)")
          #expect(found.characteristics.map(\.uuid) == expected.map(\.0), "characteristics of \(service)")
          #expect(
            found.characteristics.map(\.properties.rawValue) == expected.map(\.1), "properties of \(service)")
        }
        let handles = services.flatMap(\.characteristics).map(\.handle)
        #expect(handles == handles.sorted() && Set(handles).count == handles.count)
      }
    }

    @Test("Texts and bytes are read")
    func reads() async throws {
      try await Contract.withPeripheral(BuiltIn.wristband) { peripheral in
        let revision = try await peripheral.characteristic(.softwareRevision)
        #expect(try await peripheral.readValue(for: revision) == Array("V1.0.1.81".utf8))
        let system = try await peripheral.characteristic(BuiltIn.uuid("2a23"))
        #expect(try await peripheral.readValue(for: system) == [0xc8, 0x0f, 0x10, 0xff, 0xfe, 1, 2, 3])
      }
    }

    @Test("A value of 512 bytes is read and written whole")
    func longValue() async throws {
      try await bench { peripheral in
        let blob = try await peripheral.characteristic(BuiltIn.bench(0x0101))
        let other = (0..<512).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 3) }
        try await peripheral.writeValue(other, for: blob)
        #expect(try await peripheral.readValue(for: blob) == other)
        let initial = (0..<512).map { UInt8(truncatingIfNeeded: $0) }
        try await peripheral.writeValue(initial, for: blob)
        #expect(try await peripheral.readValue(for: blob) == initial)
      }
    }

    @Test(
      "An offset behind the end is refused, and a device may refuse parts of a value that fits into a packet",
      arguments: [
        (UInt16(0x0101), 512, UInt8(0x0b)), (0x0104, 2, 0x0b), (0x0104, 6, 0x07), (0x0105, 1, 0x07),
      ])
    func refusedOffsets(_ number: UInt16, _ offset: Int, _ att: UInt8) async throws {
      try await bench { peripheral in
        let characteristic = try await peripheral.characteristic(BuiltIn.bench(number))
        let error = await #expect(throws: BLEError.self) {
          try await peripheral.readValue(for: characteristic, offset: offset)
        }
        #expect(error?.code == (att == 0x07 ? .invalidLength : .attributeError))
        #expect(error?.attError == ATTError(code: att))
      }
    }

    @Test("An offset that no value has is refused before the device is asked", arguments: [-1, 513, 70_000])
    func impossibleOffsets(_ offset: Int) async throws {
      try await bench { peripheral in
        let described = try await peripheral.characteristic(BuiltIn.bench(0x0110))
        let text = try #require(described.descriptors.first { $0.uuid == .characteristicUserDescription })
        let error = await #expect(throws: BLEError.self) {
          try await peripheral.readValue(for: described, offset: offset)
        }
        #expect(error?.code == .invalidLength && error?.attError == nil)
        #expect(error?.message == "the offset \(offset) is outside of 0 to 512")
        let other = await #expect(throws: BLEError.self) {
          try await peripheral.readValue(for: text, offset: offset)
        }
        #expect(other?.code == .invalidLength && other?.message == error?.message)
      }
    }

    @Test("An empty value is read as no bytes")
    func emptyValue() async throws {
      try await bench { peripheral in
        let empty = try await peripheral.characteristic(BuiltIn.bench(0x0105))
        #expect(try await peripheral.readValue(for: empty) == [])
      }
    }

    @Test(
      "A read that the peer refuses gives the reason",
      arguments: [
        (UInt16(0x0102), BLEError.Code.attributeError, UInt8(0x85)), (0x0103, .notPermitted, 0x02),
      ])
    func refusedReads(_ number: UInt16, _ code: BLEError.Code, _ att: UInt8) async throws {
      try await bench { peripheral in
        let characteristic = try await peripheral.characteristic(BuiltIn.bench(number))
        let error = await #expect(throws: BLEError.self) {
          try await peripheral.readValue(for: characteristic)
        }
        #expect(error?.code == code)
        #expect(error?.attError == ATTError(code: att))
      }
    }

    @Test(
      "A write that the peer refuses gives the reason",
      arguments: [
        (UInt16(0x0102), BLEError.Code.attributeError, UInt8(0x85)), (0x0104, .notPermitted, 0x03),
      ])
    func refusedWrites(_ number: UInt16, _ code: BLEError.Code, _ att: UInt8) async throws {
      try await bench { peripheral in
        let characteristic = try await peripheral.characteristic(BuiltIn.bench(number))
        let error = await #expect(throws: BLEError.self) {
          try await peripheral.writeValue([1], for: characteristic)
        }
        #expect(error?.code == code)
        #expect(error?.attError == ATTError(code: att))
      }
    }

    @Test("Twins of one UUID are told apart")
    func twins() async throws {
      try await bench { peripheral in
        let twins = try await peripheral.characteristics(BuiltIn.bench(0x010f))
        #expect(twins.count == 3)
        var values: [[UInt8]] = []
        for twin in twins { values.append(try await peripheral.readValue(for: twin)) }
        #expect(values == [[1], [2], [3]])
        #expect(twins.map(\.service) == [BuiltIn.bench(1), BuiltIn.bench(1), BuiltIn.bench(2)])
      }
    }

    @Test("Descriptors are read and written; the one that BlueZ keeps is refused")
    func descriptors() async throws {
      try await bench { peripheral in
        let described = try await peripheral.characteristic(BuiltIn.bench(0x0110))
        let text = try #require(described.descriptors.first { $0.uuid == .characteristicUserDescription })
        #expect(try await peripheral.readValue(for: text) == Array("A described value".utf8))
        let own = try #require(described.descriptors.first { $0.uuid == BuiltIn.bench(0x0201) })
        try await peripheral.writeValue([0x12, 0x34, 0x56], for: own)
        #expect(try await peripheral.readValue(for: own) == [0x12, 0x34, 0x56])
        try await peripheral.writeValue([0xca, 0xfe], for: own)
        let stream = try await peripheral.characteristic(BuiltIn.bench(0x0109))
        let configuration = try #require(
          stream.descriptors.first { $0.uuid == .clientCharacteristicConfiguration })
        let error = await #expect(throws: BLEError.self) {
          try await peripheral.writeValue([1, 0], for: configuration)
        }
        #expect(error?.code == .notSupported)
      }
    }

    @Test("The MTU is that of the link, also of characteristics that BlueZ knew before it")
    func mtuOfCachedTree() async throws {
      let mtu = try await bench { try await $0.characteristic(BuiltIn.bench(0x0106)).mtu }
      #expect(try #require(mtu) > 23)
      try await Contract.withCentral { central in
        let known = try await Contract.find(BuiltIn.bench, central)
        try await Contract.connect(known)
        #expect(try await known.characteristic(BuiltIn.bench(0x0106)).mtu == mtu)
        try await known.disconnect()
        try await Contract.connect(known)
        #expect(try await known.characteristic(BuiltIn.bench(0x0106)).mtu == mtu)
      }
    }

    @Test("A write without response that does not fit is refused before it is sent")
    func tooLongCommand() async throws {
      try await bench { peripheral in
        let echo = try await peripheral.characteristic(BuiltIn.bench(0x0106))
        let mtu = try #require(echo.mtu)
        let error = await #expect(throws: BLEError.self) {
          try await peripheral.writeValue(
            [UInt8](repeating: 0, count: mtu - 2), for: echo, type: .withoutResponse)
        }
        #expect(error?.code == .invalidLength)
      }
    }

    @Test("A slow answer is waited for, one that does not come ends at the time given")
    func slowAnswers() async throws {
      try await bench { peripheral in
        let slow = try await peripheral.characteristic(BuiltIn.bench(0x010e))
        #expect(try await peripheral.readValue(for: slow) == Array("slow".utf8))
        let stalled = try await peripheral.characteristic(BuiltIn.bench(0x010d))
        let error = await #expect(throws: BLEError.self) {
          try await peripheral.readValue(for: stalled, timeout: .milliseconds(500))
        }
        #expect(error?.code == .timedOut)
        try await peripheral.disconnect()  // the stalled request would block the others for 30 s
      }
    }

    @Test("Many reads at once of one characteristic all succeed")
    func manyReads() async throws {
      try await Contract.withPeripheral(BuiltIn.wristband) { peripheral in
        let revision = try await peripheral.characteristic(.softwareRevision)
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
          for _ in 0..<20 { group.addTask { try await peripheral.readValue(for: revision) } }
          for try await value in group { #expect(value == Array("V1.0.1.81".utf8)) }
        }
      }
    }
  }
}

/// The tree of scenario S1.
enum Wristband {
  static let tree: [(BluetoothUUID, [(BluetoothUUID, UInt16)])] = [
    (
      short(0x180a),
      [(short(0x2a25), 2), (short(0x2a27), 2), (short(0x2a28), 2), (short(0x2a23), 2), (short(0x2a50), 2)]
    ),
    (
      BuiltIn.uuid("00001530-0000-3512-2118-0009af100700"),
      [(BuiltIn.band(0x1531), 0x18), (BuiltIn.band(0x1532), 0x04)]
    ),
    (short(0x1811), [(short(0x2a46), 0x08), (short(0x2a44), 0x1a)]),
    (short(0x1802), [(short(0x2a06), 0x04)]),
    (short(0x180d), [(short(0x2a37), 0x10), (short(0x2a39), 0x0a)]),
    (
      short(0xfee0),
      [
        (short(0x2a2b), 0x1a), (BuiltIn.band(1), 0x14), (BuiltIn.band(2), 0x10), (BuiltIn.band(3), 0x14),
        (short(0x2a04), 0x16), (BuiltIn.band(4), 0x16), (BuiltIn.band(5), 0x10), (BuiltIn.band(6), 0x12),
      ]
    ),
    (
      short(0xfee1),
      [
        (BuiltIn.band(9), 0x16), (short(0xfedd), 0x08), (short(0xfede), 0x02), (short(0xfedf), 0x02),
        (short(0xfed0), 0x0a), (short(0xfed1), 0x0a), (short(0xfed2), 0x02), (short(0xfed3), 0x0a),
        (BuiltIn.band(0xfec1), 0x1a),
      ]
    ),
  ]

  private static func short(_ number: UInt16) -> BluetoothUUID { BluetoothUUID(short: number) }
}
