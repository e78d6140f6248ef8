// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import TestSupport
internal import Testing

extension Contract {
  @Suite("Links")
  struct Links {
    @Test("A peripheral that hangs up is reported as disconnected")
    func hangUp() async throws {
      try await Contract.withPeripheral(BuiltIn.bench) { peripheral in
        let output = try await peripheral.characteristic(BuiltIn.bench(0x0107))
        let echoed = try await peripheral.notifications(for: output)
        // The link may go before the write is answered.
        try? await peripheral.writeValue([1], for: peripheral.characteristic(BuiltIn.bench(0x010c)))
        let error = await #expect(throws: BLEError.self) { for try await _ in echoed {} }
        #expect(error?.code == .disconnected)
        try await peripheral.waitUntilDisconnected(timeout: .seconds(30))
        let later = await #expect(throws: BLEError.self) { try await peripheral.readValue(for: output) }
        #expect(later?.code == .disconnected && later?.message.hasPrefix("the link was lost") == true)
        let tree = await #expect(throws: BLEError.self) { try await peripheral.discoverServices() }
        #expect(tree?.code == .disconnected && tree?.message.hasPrefix("the link was lost") == true)
      }
    }

    @Test("A link that was closed can be opened again at once")
    func reopen() async throws {
      try await Contract.withCentral { central in
        let peripheral = try await Contract.find(BuiltIn.wristband, central)
        for _ in 0..<2 {
          try await Contract.connect(peripheral)
          #expect(try await peripheral.info.isConnected)
          try await peripheral.disconnect()
          #expect(try await !peripheral.info.isConnected)
        }
      }
    }

    @Test("A characteristic that is missing among services of an earlier link may be one of a newer firmware")
    func servicesOfEarlierLink() async throws {
      try await Contract.withCentral { central in
        let peripheral = try await Contract.find(BuiltIn.wristband, central)
        try await Contract.connect(peripheral)
        try await peripheral.disconnect()
        try await Contract.connect(peripheral)
        let error = await #expect(throws: BLEError.self) {
          try await peripheral.characteristic(BuiltIn.uuid("2aff"))
        }
        #expect(error?.code == .notFound && error?.hint?.contains("firmware") == true, "\(error?.hint ?? "")")
        try await peripheral.disconnect()
      }
    }

    @Test("A connected device is known to others without a scan, and joined")
    func known() async throws {
      try await Contract.withPeripheral(BuiltIn.wristband) { _ in
        try await Contract.withCentral { other in
          let known = try await other.knownPeripherals().first { $0.address == BuiltIn.wristband }
          let info = try #require(known)
          #expect(info.isConnected)
          #expect(try await info.peripheral.connect() == .joined)
          let revision = try await info.peripheral.characteristic(.softwareRevision)
          #expect(try await info.peripheral.readValue(for: revision) == Array("V1.0.1.81".utf8))
        }
      }
    }

    @Test("Scanning goes on after a connection was made")
    func scanningGoesOn() async throws {
      try await Contract.withCentral { central in
        var events = central.scan(reportsDuplicates: true).makeAsyncIterator()
        _ = try await events.next()
        let peripheral = try await Contract.find(BuiltIn.thermometer, central)
        try await Contract.connect(peripheral)
        for _ in 0..<40 { _ = try await events.next() }
        try await peripheral.disconnect()
      }
    }

    @Test("Without a link nothing is listed, read or subscribed to")
    func noLink() async throws {
      try await Contract.withCentral { central in
        let peripheral = try await Contract.find(BuiltIn.wristband, central)
        if try await peripheral.info.isConnected {
          try await peripheral.waitUntilDisconnected(timeout: .seconds(30))
        }
        let error = await #expect(throws: BLEError.self) { try await peripheral.discoverServices() }
        #expect(error?.code == .disconnected && error?.message == "the device is not connected")
      }
    }

    @Test("An attempt that is given up is cancelled in BlueZ too: the device is not connected later")
    func givenUp() async throws {
      let stage = try await Stages.shared.value
      try await Contract.withCentral { central in
        let peripheral = try await Contract.find(BuiltIn.piano, central)
        if try await peripheral.info.isConnected {
          try await peripheral.waitUntilDisconnected(timeout: .seconds(30))
        }
        try await stage.hide("\(BuiltIn.piano)")
        let error = await #expect(throws: BLEError.self) {
          try await peripheral.connect(timeout: .seconds(1))
        }
        #expect(error?.code == .timedOut)
        try await stage.show("\(BuiltIn.piano)")
        // It is heard again, three times, and no program connects to it.
        var count = 0
        for try await event in central.scan(ScanFilter(addresses: [BuiltIn.piano]), reportsDuplicates: true) {
          #expect(!event.info.isConnected)
          count += 1
          if count == 3 { break }
        }
        try await Contract.connect(try await Contract.find(BuiltIn.piano, central))
      }
    }

    @Test("A device that is not there does not hold up the others of its adapter")
    func turns() async throws {
      let stage = try await Stages.shared.value
      try await Contract.withCentral { central in
        let absent = try await Contract.find(BuiltIn.piano, central)
        if try await absent.info.isConnected {
          try await absent.waitUntilDisconnected(timeout: .seconds(30))
        }
        let present = try await Contract.find(BuiltIn.wristband, central)
        if try await present.info.isConnected {
          try await present.waitUntilDisconnected(timeout: .seconds(30))
        }
        try await stage.hide("\(BuiltIn.piano)")
        // On the manager's own executor: it comes first.
        let connecting = Task(executorPreference: central.taskExecutor) {
          try await absent.connect(timeout: nil)
        }
        // With its own time only: the other one has no end.
        #expect(try await present.connect(timeout: .seconds(60)) == .opened)
        connecting.cancel()
        let error = await #expect(throws: BLEError.self) { try await connecting.value }
        #expect(error?.code == .cancelled)
        try await stage.show("\(BuiltIn.piano)")
      }
    }

    @Test("A link is used, whether a bluetoothd that is busy signals it or not")
    func busyDaemon() async throws {
      let stage = try await Stages.shared.value
      try await Contract.withCentral { central in
        let peripheral = try await Contract.find(BuiltIn.wristband, central)
        for _ in 0..<4 {
          let isOver = Lock(false)
          let interruptions = Task {
            while !isOver.withLock({ $0 }) {
              try await stage.freezeDaemon()
              try await stage.thawDaemon()
            }
          }
          do {
            defer { isOver.withLock { $0 = true } }
            try await Contract.connect(peripheral)
          }
          try await interruptions.value
          #expect(try await peripheral.info.isConnected)
          #expect(try await !peripheral.discoverServices().isEmpty)
          try await peripheral.disconnect()
        }
      }
    }

    @Test("A task that is cancelled while connecting leaves no link behind")
    func cancelledConnection() async throws {
      try await Contract.withCentral { central in
        let peripheral = try await Contract.find(BuiltIn.piano, central)
        if try await peripheral.info.isConnected {
          try await peripheral.waitUntilDisconnected(timeout: .seconds(30))
        }
        let connecting = Task { try await peripheral.connect() }
        connecting.cancel()
        let error = await #expect(throws: BLEError.self) { try await connecting.value }
        #expect(error?.code == .cancelled)
        try await peripheral.waitUntilDisconnected(timeout: .seconds(30))
      }
    }
  }
}
