// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEWorld
internal import TestSupport
internal import Testing

/// What becomes of a request on a value that requires pairing: value × request × agent.
extension Contract {
  @Suite("Security")
  struct Security {
    /// A value of docs/pairing-world.md.
    enum Value: CaseIterable {
      case open
      case encrypted
      case authenticated

      var device: BluetoothAddress { self == .authenticated ? BuiltIn.passkeyShown : BuiltIn.justWorks }

      var readable: BluetoothUUID {
        switch self {
        case .open: BuiltIn.bench(0x0301)
        case .encrypted: BuiltIn.bench(0x0302)
        case .authenticated: BuiltIn.bench(0x0303)
        }
      }

      var subscribable: BluetoothUUID {
        switch self {
        case .open: BuiltIn.bench(0x0307)
        case .encrypted: BuiltIn.bench(0x0305)
        case .authenticated: BuiltIn.bench(0x0306)
        }
      }
    }

    enum Request: CaseIterable {
      case read
      case write
      case subscribe
    }

    /// Whose agent BlueZ asks.
    enum Agent: CaseIterable {
      case none
      /// That of another program, such as the desktop.
      case desktop
      case ours
    }

    struct Cell: CustomTestStringConvertible {
      let value: Value
      let request: Request
      let agent: Agent

      var testDescription: String { "\(value), \(request), agent: \(agent)" }

      static let all = Value.allCases.flatMap { value in
        Request.allCases.flatMap { request in
          Agent.allCases.map { Cell(value: value, request: request, agent: $0) }
        }
      }
    }

    @Test("A request succeeds within 2 s, or says that the device requires pairing", arguments: Cell.all)
    func request(_ cell: Cell) async throws {
      try await PairingStage.with(cell.value.device) { stage, peripheral in
        try await with(cell.agent, at: stage, peripheral) {
          try await Contract.connect(peripheral)
          let isRefused = cell.value != .open && cell.agent == .none
          let error = await failure(of: cell, on: peripheral)
          #expect(error?.code == (isRefused ? .notPaired : nil), "\(error?.description ?? "")")
          let needsPasskey = isRefused && cell.value == .authenticated
          #expect(error?.hint?.contains("passkey") ?? false == needsPasskey, "\(error?.hint ?? "")")
          if cell.value != .open, !isRefused { try await PairingStage.waitForBond(with: peripheral) }
          let bonds = try await stage.bondCount("\(cell.value.device)")
          #expect(bonds == (cell.value == .open || isRefused ? 0 : 1))
          // The link carries requests again.
          #expect(try await read(Value.open.readable, of: peripheral) == "open")
        }
      }
    }

    private func perform(_ cell: Cell, on peripheral: Peripheral) async throws(BLEError) {
      // A person takes longer to type a passkey.
      let limit = Duration.seconds(cell.agent == .none ? 2 : 20)
      switch cell.request {
      case .read:
        let value = try await peripheral.characteristic(cell.value.readable)
        _ = try await peripheral.readValue(for: value, timeout: limit)
      case .write:
        let value = try await peripheral.characteristic(cell.value.subscribable)
        try await peripheral.writeValue([1], for: value, timeout: limit)
      case .subscribe:
        let value = try await peripheral.characteristic(cell.value.subscribable)
        _ = try await peripheral.notifications(for: value, timeout: limit)
      }
    }

    private func failure(of cell: Cell, on peripheral: Peripheral) async -> BLEError? {
      do throws(BLEError) { try await perform(cell, on: peripheral) } catch { return error }
      return nil
    }

    /// Runs `body` while an agent answers for a person who has the device at hand.
    private func with(
      _ agent: Agent, at stage: any Stage, _ peripheral: Peripheral, _ body: () async throws -> Void
    ) async throws {
      let person = PersonAgent(.types, at: stage)
      switch agent {
      case .none: try await body()
      case .ours: try await PairingStage.answering(person, of: peripheral.central, body)
      case .desktop:
        try await Contract.withCentral { other in try await PairingStage.answering(person, of: other, body) }
      }
    }

    // MARK: Links

    @Test("After a request that requires it, the device is paired over another link")
    func afterRefusal() async throws {
      try await PairingStage.with(BuiltIn.passkeyShown) { stage, peripheral in
        try await Contract.connect(peripheral)
        let value = try await peripheral.characteristic(Value.authenticated.readable)
        let error = await #expect(throws: BLEError.self) { try await peripheral.readValue(for: value) }
        #expect(error?.code == .notPaired)
        let outcome = try await peripheral.pair(using: PersonAgent(.types, at: stage))
        #expect(outcome == PairingOutcome(method: .passkey, isBonded: true))
        #expect(try await read(Value.authenticated.readable, of: peripheral) == "authenticated")
      }
    }

    @Test(
      "A link that exists is paired by what the agent can do, not by what BlueZ was told when it was opened")
    func overLink() async throws {
      try await PairingStage.with(BuiltIn.passkeyShown) { stage, peripheral in
        try await Contract.connect(peripheral)
        let outcome = try await peripheral.pair()
        #expect(outcome == PairingOutcome(method: .justWorks, isBonded: true))
        #expect(try await read(Value.encrypted.readable, of: peripheral) == "encrypted")
      }
    }

    @Test("Requests that wait behind one that requires pairing are sent over the next link")
    func heldBack() async throws {
      try await PairingStage.with(BuiltIn.justWorks) { stage, peripheral in
        try await Contract.connect(peripheral)
        async let refused = read(Value.encrypted.readable, of: peripheral)
        async let open = read(Value.open.readable, of: peripheral)
        #expect(try await open == "open")
        let result: Result<String, any Error>
        do { result = .success(try await refused) } catch { result = .failure(error) }
        let error = #expect(throws: BLEError.self) { try result.get() }
        #expect(error?.code == .notPaired)
        #expect(try await stage.bondCount("\(BuiltIn.justWorks)") == 0)
      }
    }

    @Test(
      "A subscription ends with a link that carries nothing more, and the next request goes over another link, which lasts"
    )
    func besideSubscription() async throws {
      try await PairingStage.with(BuiltIn.justWorks) { _, peripheral in
        try await Contract.connect(peripheral)
        let value = try await peripheral.characteristic(Value.open.subscribable)
        let values = try await peripheral.notifications(for: value)
        // A link that is replaced has not ended, although BlueZ 5.87 closes it before the next request.
        let watch = Task { try await peripheral.waitUntilDisconnected() }
        let error = await #expect(throws: BLEError.self) {
          try await read(Value.encrypted.readable, of: peripheral)
        }
        #expect(error?.code == .notPaired)
        try await requireLink(of: peripheral, for: .seconds(3))
        let end = await #expect(throws: BLEError.self) { for try await _ in values {} }
        #expect(end?.code == .disconnected)
        #expect(try await read(Value.open.readable, of: peripheral) == "open")
        let again = try await peripheral.characteristic(Value.open.subscribable)
        _ = try await peripheral.notifications(for: again)
        try await requireLink(of: peripheral, for: .seconds(3))
        watch.cancel()
        let watched = await #expect(throws: BLEError.self) { try await watch.value }
        #expect(watched?.code == .cancelled)
        await peripheral.release()
        try await PairingStage.waitForEnd(of: peripheral)
      }
    }

    @Test("A subscription that comes next over another link gets its values")
    func subscriptionAfterRefusal() async throws {
      try await PairingStage.with(BuiltIn.justWorks) { _, peripheral in
        try await Contract.connect(peripheral)
        let value = try await peripheral.characteristic(Value.open.subscribable)
        let error = await #expect(throws: BLEError.self) {
          try await read(Value.encrypted.readable, of: peripheral)
        }
        #expect(error?.code == .notPaired)
        let values = try await peripheral.notifications(for: value)
        try await peripheral.writeValue([7], for: value)
        let first = try await values.first { _ in true }
        #expect(first?.value == [7])
      }
    }

    private func requireLink(of peripheral: Peripheral, for time: Duration) async throws {
      let error = await #expect(throws: BLEError.self) {
        try await peripheral.waitUntilDisconnected(timeout: time)
      }
      #expect(error?.code == .timedOut, "\(error?.description ?? "")")
    }

    // MARK: Commands

    @Test("'services --read' and 'snapshot' go on behind values that require pairing, and mark them")
    func treeWithoutAgent() async throws {
      try await PairingStage.with(BuiltIn.justWorks) { stage, _ in
        let blectl = Blectl(bus: stage.address)
        let tree = try await blectl.run("services", "\(BuiltIn.justWorks)", "--read", "--json")
        #expect(tree.status == 1, "\(tree.errorText)")
        let values = try characteristics(in: tree.records.first?["services"])
        #expect(values.map { $0["value"]?.text } == ["6f70656e"] + Array(repeating: nil, count: 6))
        #expect(
          values.prefix(4).map { $0["security"]?.text } == [nil, "encrypted", "encrypted", "encrypted"])
        #expect(try await stage.bondCount("\(BuiltIn.justWorks)") == 0)
        let snapshot = try await blectl.run("snapshot", "\(BuiltIn.justWorks)", "--json")
        #expect(snapshot.status == 0, "\(snapshot.errorText)")
        let recorded = try characteristics(in: snapshot.records.first?["peripherals"]?[0]?["services"])
        #expect(
          recorded.prefix(4).map { $0["security"]?.text } == [nil, "encrypted", "encrypted", "encrypted"])
        #expect(try await stage.bondCount("\(BuiltIn.justWorks)") == 0)
      }
    }

    @Test(
      "With an agent that pairs, they show all values", arguments: [["--pair", "--passkey", "042017"], []])
    func treeWithAgent(_ options: [String]) async throws {
      try await PairingStage.with(BuiltIn.passkeyShown) { stage, peripheral in
        try await with(options.isEmpty ? .desktop : .none, at: stage, peripheral) {
          let command = ["services", "\(BuiltIn.passkeyShown)", "--read", "--json"] + options
          let tree = try await Blectl(bus: stage.address).start(command).result()
          #expect(tree.status == 0, "\(tree.errorText)")
          let values = try characteristics(in: tree.records.first?["services"])
          let texts = ["open", "encrypted", "authenticated", "secure"].map { Hex.string(Array($0.utf8)) }
          #expect(values.prefix(4).map { $0["value"]?.text } == texts)
          try await PairingStage.waitForBond(with: peripheral)
          let snapshot = try await Blectl(bus: stage.address).run(
            "snapshot", "\(BuiltIn.passkeyShown)", "--json")
          let recorded = try characteristics(in: snapshot.records.first?["peripherals"]?[0]?["services"])
          #expect(
            recorded.prefix(4).map { $0["value"]?.text }
              == ["utf8:open", "utf8:encrypted", "utf8:authenticated", "utf8:secure"])
        }
      }
    }

    /// The characteristics of the service of docs/pairing-world.md.
    private func characteristics(in services: JSONRecord?) throws -> [JSONRecord] {
      let service = services?.elements.first { $0["uuid"]?.text == BuiltIn.bench(0x0003).longForm }
      return try #require(service?["characteristics"]?.elements)
    }

    private func read(_ uuid: BluetoothUUID, of peripheral: Peripheral) async throws -> String {
      let value = try await peripheral.readValue(for: peripheral.characteristic(uuid))
      return String(decoding: value, as: UTF8.self)
    }
  }
}
