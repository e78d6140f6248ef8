// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import DBus
internal import Glibc
internal import TestSupport
internal import Testing

extension Contract {
  /// Values that bluetoothd has taken may not be sent yet: the radio takes its time, and a link that ends loses the rest.
  @Suite("Confirmed writes", .serialized)
  struct ConfirmedWrites {
    private static let piano = "\(BuiltIn.piano)"
    private static let bench = "\(BuiltIn.bench)"
    private static let lamps = BluetoothUUID(short: 0xffe3)
    private static let echo = BuiltIn.bench(0x0106)

    /// Runs a test with links on which a packet takes a time.
    private func withPackets<Result>(
      of time: Duration, _ body: (any Stage, Blectl) async throws -> Result
    ) async throws -> Result {
      let stage = try await Stages.shared.value
      return try await stage.withPacketTime(time) { try await body(stage, Blectl(bus: stage.address)) }
    }

    private static func lines(_ count: Int) -> [UInt8] {
      Array((0..<count).map { number($0) + "\n" }.joined().utf8)
    }

    private static func number(_ index: Int) -> String {
      let digits = String(index, radix: 16)
      return String(repeating: "0", count: 4 - digits.count) + digits
    }

    private static func value(_ index: Int) -> [UInt8] { [UInt8(index >> 8), UInt8(index & 0xff)] }

    @Test(
      "Every value of a file that is written without response arrives, by calls and by the socket",
      arguments: [true, false])
    func file(isSocket: Bool) async throws {
      try await withPackets(of: .milliseconds(10)) { stage, blectl in
        let (device, characteristic) = isSocket ? (Self.bench, Self.echo) : (Self.piano, Self.lamps)
        try await stage.forgetReceived(device)
        let result = try await blectl.run(
          "write", device, "\(characteristic)", "--no-response", "--from", "-", "--timeout", "60s",
          input: Self.lines(600))
        #expect(
          result.status == 0 && result.errorText.contains("handed over 600 values"), "\(result.errorText)")
        #expect(try await stage.received(device, characteristic) == (0..<600).map { Self.value($0) })
      }
    }

    @Test("One value without response arrives, also behind a command that has just closed its link")
    func single() async throws {
      try await withPackets(of: .milliseconds(300)) { stage, blectl in
        try await stage.forgetReceived(Self.piano)
        let services = try await blectl.run("services", "Piano", "--timeout", "90s")
        #expect(services.status == 0, "\(services.errorText)")
        let result = try await blectl.run(
          "write", "Piano", "ffe3", "0102", "--no-response", "--timeout", "90s")
        #expect(result.status == 0, "\(result.errorText)")
        #expect(try await stage.received(Self.piano, Self.lamps) == [[1, 2]])
        let few = try await blectl.run(
          "write", "Piano", "ffe3", "--no-response", "--from", "-", "--timeout", "90s", input: Self.lines(4))
        #expect(few.status == 0, "\(few.errorText)")
        #expect(
          try await stage.received(Self.piano, Self.lamps) == [[1, 2]] + (0..<4).map { Self.value($0) })
      }
    }

    @Test("A link that is lost while values are on their way is an error, which never counts too many")
    func lost() async throws {
      try await withPackets(of: .milliseconds(30)) { stage, _ in
        try await stage.forgetReceived(Self.piano)
        try await Contract.withCentral { central in
          let peripheral = try await Contract.find(BuiltIn.piano, central)
          try await Contract.connect(peripheral)
          let lamps = try await peripheral.characteristic(Self.lamps)
          let certain = Lock(0)
          let error = await #expect(throws: BLEError.self) {
            try await peripheral.writeValues(
              (0..<2000).map { Self.value($0) }, for: lamps, type: .withoutResponse, timeout: .seconds(60)
            ) { count in
              let before = certain.withLock { certain in
                defer { certain = count }
                return certain
              }
              if before == 0 { Task { try await stage.drop(Self.piano) } }
            }
          }
          #expect(error?.code == .disconnected && error?.mayHaveTakenEffect == true)
          let arrived = try await stage.received(Self.piano, Self.lamps)
          let count = certain.withLock { $0 }
          #expect(count > 0 && arrived.count >= count && arrived.count < 2000)
          let first = (0..<arrived.count).map { Self.value($0) }
          #expect(arrived == first)
        }
      }
    }

    @Test("Single writes without response arrive before they are confirmed, and before the manager is closed")
    func confirmed() async throws {
      try await withPackets(of: .milliseconds(30)) { stage, _ in
        try await stage.forgetReceived(Self.piano)
        try await Contract.withCentral { central in
          let peripheral = try await Contract.find(BuiltIn.piano, central)
          try await Contract.connect(peripheral)
          let lamps = try await peripheral.characteristic(Self.lamps)
          for index in 0..<20 {
            try await peripheral.writeValue(Self.value(index), for: lamps, type: .withoutResponse)
          }
          try await peripheral.confirmWrites()
          #expect(try await stage.receivedCount(Self.piano, Self.lamps) == 20)
          for index in 20..<40 {
            try await peripheral.writeValue(Self.value(index), for: lamps, type: .withoutResponse)
          }
        }
        #expect(try await stage.receivedCount(Self.piano, Self.lamps) == 40)
      }
    }

    @Test("Values that are written over a joined link arrive, though its opener closes meanwhile")
    func joined() async throws {
      try await withPackets(of: .milliseconds(100)) { stage, blectl in
        try await stage.forgetReceived(Self.piano)
        let opener = try await Contract.central()
        try await Contract.connect(try await Contract.find(BuiltIn.piano, opener))
        let writing = try blectl.start(
          ["write", "Piano", "ffe3", "--no-response", "--from", "-", "--timeout", "90s"],
          input: Self.lines(40))
        while try await stage.receivedCount(Self.piano, Self.lamps) == 0 { await Task.yield() }
        await opener.close()
        let result = await writing.result()
        #expect(result.status == 0, "\(result.errorText)")
        #expect(try await stage.received(Self.piano, Self.lamps) == (0..<40).map { Self.value($0) })
      }
    }

    /// The socket of AcquireWrite, without the reply, which keeps one of its own.
    private static func socket(of path: String, _ client: BusClient) async throws -> Int32? {
      try await client.gatt("AcquireWrite", path) { $0.properties([]) }.takeDescriptor(at: 0)?.release()
    }

    @Test("A writer waits while another program holds the characteristic's socket for writing")
    func heldSocket() async throws {
      let stage = try await Stages.shared.value
      try await Contract.withPeripheral(BuiltIn.bench) { _ in
        try await stage.forgetReceived(Self.bench)
        let holder = try await BusClient.connect(to: stage.address)
        let input = try await holder.characteristic("\(Self.echo)", of: Self.bench)
        let socket = try #require(try await Self.socket(of: input, holder))
        let blectl = Blectl(bus: stage.address)
        let writing = try [["--no-response"], []].map { options in
          try blectl.start(
            ["write", Self.bench, "\(Self.echo)", "--from", "-", "--timeout", "90s", "-vv"] + options,
            input: Self.lines(10))
        }
        for run in writing { #expect(await run.waitForErrors { $0.contains("Write acquired") }) }
        close(socket)
        await holder.close()
        for run in writing {
          let result = await run.result()
          #expect(result.status == 0, "\(result.errorText.suffix(600))")
        }
        #expect(try await stage.receivedCount(Self.bench, Self.echo) == 20)
      }
    }
  }
}
