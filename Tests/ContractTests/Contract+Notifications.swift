// SPDX-License-Identifier: MIT
internal import BLECentral
internal import Synchronization
internal import TestSupport
internal import Testing

extension Contract {
  @Suite("Notifications")
  struct NotificationTests {
    private func bench<Result>(_ body: (Peripheral) async throws -> Result) async throws -> Result {
      try await Contract.withPeripheral(BuiltIn.bench, body)
    }

    /// Takes that many values.
    private func take(_ count: Int, from notifications: Notifications) async throws -> [[UInt8]] {
      var values: [[UInt8]] = []
      for try await notification in notifications {
        values.append(notification.value)
        if values.count == count { break }
      }
      return values
    }

    /// Subscribes, lets the link be dropped, and releases the manager once it has noticed.
    private func subscriptionOfReleasedManager() async throws -> Notifications {
      let central = try await Contract.central()
      let peripheral = try await Contract.find(BuiltIn.bench, central)
      try await Contract.connect(peripheral)
      let notifications = try await peripheral.notifications(
        for: peripheral.characteristic(BuiltIn.bench(0x0107)))
      let events = await central.events()
      try await Stages.shared.value.drop("\(BuiltIn.bench)")
      for try await event in events {
        if case .disconnected = event.kind { break }
      }
      return notifications
    }

    @Test("A subscription ends with its link although its manager is released at that moment")
    func releasedManager() async throws {
      let notifications = try await subscriptionOfReleasedManager()
      let error = await #expect(throws: BLEError.self) { for try await _ in notifications {} }
      #expect(error?.code == .disconnected)
    }

    @Test("The piano answers each of its 115 lamps, none missing")
    func piano() async throws {
      try await Contract.withPeripheral(BuiltIn.piano) { peripheral in
        let keys = try await peripheral.notifications(for: peripheral.characteristic(BuiltIn.uuid("ffe2")))
        let lamps = try await peripheral.characteristic(BuiltIn.uuid("ffe3"))
        for lamp in UInt8(0)...0x72 {
          try await peripheral.writeValue([0xf0, 0x3d, 0x3d, lamp, 0x02, 0xf7], for: lamps)
        }
        #expect(try await take(115, from: keys) == (UInt8(0)...0x72).map { [0x9f, 0x54, $0] })
      }
    }

    @Test(
      "Values written with and without response come back as notifications",
      arguments: [
        WriteType.withResponse, .withoutResponse,
      ])
    func echo(_ type: WriteType) async throws {
      try await bench { peripheral in
        let echoed = try await peripheral.notifications(for: peripheral.characteristic(BuiltIn.bench(0x0107)))
        let input = try await peripheral.characteristic(BuiltIn.bench(0x0106))
        let values: [[UInt8]] = [[1], [2, 3], [UInt8](repeating: 0xee, count: 20), [4]]
        for value in values { try await peripheral.writeValue(value, for: input, type: type) }
        #expect(try await take(4, from: echoed) == values)
      }
    }

    @Test(
      "Many values arrive once each, in the order in which they were given",
      arguments: [
        WriteType.withResponse, .withoutResponse,
      ])
    func manyWrites(_ type: WriteType) async throws {
      try await bench { peripheral in
        let echoed = try await peripheral.notifications(for: peripheral.characteristic(BuiltIn.bench(0x0107)))
        let input = try await peripheral.characteristic(BuiltIn.bench(0x0106))
        let values = (UInt8(0)..<40).map { [$0, 0xee] }
        for round in UInt8(100)..<110 {
          let counts = Mutex<[Int]>([])
          try await peripheral.writeValues(values, for: input, type: type) { count in
            counts.withLock { $0.append(count) }
          }
          let told = counts.withLock { $0 }
          #expect(told.last == 40)
          let isRising = zip(told, told.dropFirst()).allSatisfy { $0 < $1 }
          #expect(isRising)
          if type == .withResponse { #expect(told == Array(1...40)) }
          // The socket, where there was one, is given back.
          try await peripheral.writeValue([round], for: input, type: type)
          let echoes = try await take(41, from: echoed)
          #expect(echoes == values + [[round]])
        }
      }
    }

    @Test("A value that is too long for a write without response is refused before any is sent")
    func tooLongWrites() async throws {
      try await bench { peripheral in
        let input = try await peripheral.characteristic(BuiltIn.bench(0x0106))
        let long = [UInt8](repeating: 1, count: Int(input.mtu ?? 23) - 2)
        let error = await #expect(throws: BLEError.self) {
          try await peripheral.writeValues(
            [[1], [2], [3], [4], [5], long], for: input, type: .withoutResponse
          ) { _ in
            Issue.record("a value was written")
          }
        }
        #expect(error?.code == .invalidLength)
        #expect(error?.mayHaveTakenEffect == false)
      }
    }

    @Test("A read never shows up as a notification")
    func readsAreNoNotifications() async throws {
      try await bench { peripheral in
        let output = try await peripheral.characteristic(BuiltIn.bench(0x0107))
        let input = try await peripheral.characteristic(BuiltIn.bench(0x0106))
        let echoed = try await peripheral.notifications(for: output)
        for number in UInt8(10)..<15 {
          try await peripheral.writeValue([number], for: input)
          #expect(try await peripheral.readValue(for: output) == [number])
          _ = try await peripheral.readValue(for: output)
        }
        try await peripheral.writeValue([99], for: input)
        #expect(try await take(6, from: echoed) == [[10], [11], [12], [13], [14], [99]])
      }
    }

    // As many as fit the socket's buffer: what does not fit, BlueZ drops.
    @Test(
      "A burst arrives whole and in order, over either transport", arguments: NotificationTransport.allCases)
    func burst(_ transport: NotificationTransport) async throws {
      try await bench { peripheral in
        let stream = try await peripheral.notifications(
          for: peripheral.characteristic(BuiltIn.bench(0x0109)), via: transport)
        let trigger = try await peripheral.characteristic(BuiltIn.bench(0x0108))
        let count: UInt8 = 200
        try await peripheral.writeValue([count, 0], for: trigger)
        let values = try await take(Int(count), from: stream)
        let numbers = values.map { UInt32($0[0]) | UInt32($0[1]) << 8 }
        #expect(numbers == (0..<count).map { UInt32($0) })
        #expect(values.allSatisfy { $0.count == 20 && $0[4...].allSatisfy { $0 == 0xa5 } })
      }
    }

    @Test("An indication arrives")
    func indication() async throws {
      try await bench { peripheral in
        let indicated = try await peripheral.notifications(
          for: peripheral.characteristic(BuiltIn.bench(0x010a)))
        let trigger = try await peripheral.characteristic(BuiltIn.bench(0x010b))
        try await peripheral.writeValue([0xca, 0xfe], for: trigger)
        #expect(try await take(1, from: indicated) == [[0xca, 0xfe]])
      }
    }

    @Test("Two subscribers each get every value, once")
    func twoSubscribers() async throws {
      try await bench { peripheral in
        let output = try await peripheral.characteristic(BuiltIn.bench(0x0107))
        let input = try await peripheral.characteristic(BuiltIn.bench(0x0106))
        let first = try await peripheral.notifications(for: output)
        let second = try await peripheral.notifications(for: output)
        for number in UInt8(1)...3 { try await peripheral.writeValue([number], for: input) }
        #expect(try await take(3, from: first) == [[1], [2], [3]])
        #expect(try await take(3, from: second) == [[1], [2], [3]])
      }
    }

    @Test("A subscription that ended can be made again")
    func again() async throws {
      try await bench { peripheral in
        let output = try await peripheral.characteristic(BuiltIn.bench(0x0107))
        let input = try await peripheral.characteristic(BuiltIn.bench(0x0106))
        for number in UInt8(1)...3 {
          let echoed = try await peripheral.notifications(for: output)
          try await peripheral.writeValue([number], for: input)
          #expect(try await take(1, from: echoed) == [[number]])
        }
      }
    }

    @Test("A characteristic without notifications and indications cannot be subscribed to")
    func notSupported() async throws {
      try await Contract.withPeripheral(BuiltIn.wristband) { peripheral in
        let plain = try await peripheral.characteristic(BuiltIn.uuid("fed3"))
        let error = await #expect(throws: BLEError.self) { try await peripheral.notifications(for: plain) }
        #expect(error?.code == .notSupported)
      }
    }

    @Test("The strap's heart rate is reported without being asked for")
    func heartRate() async throws {
      try await Contract.withPeripheral(BuiltIn.strap) { peripheral in
        let rates = try await peripheral.notifications(for: peripheral.characteristic(.heartRateMeasurement))
        for value in try await take(2, from: rates) {
          #expect(value.count == 2 && value[0] == 0 && (60...99).contains(value[1]))
        }
      }
    }
  }
}
