// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEFormats
internal import Glibc
internal import TestSupport
internal import Testing

extension Contract {
  /// A device that changes its private address, without a bond: only a key of the user tells that it is the same.
  @Suite("Private addresses", .serialized)
  struct PrivateAddresses {
    /// The sample key of the Core Specification, and addresses that it resolves.
    private static let key = "ec0234a357c8ad05341010a60a397d9b"
    private static let addresses = ["70:81:94:0D:FB:AA", "5B:A2:11:B8:1C:FD", "4D:00:01:0A:7A:FC"]
    private static let strap = "\(BuiltIn.strap)"

    /// Runs a test with the strap behind the first of the addresses, and a file with its key.
    private func withStrap<Result>(
      _ body: (any Stage, Blectl, [String: String]) async throws -> Result
    ) async throws -> Result {
      let stage = try await Stages.shared.value
      let blectl = Blectl(bus: stage.address)
      _ = try await blectl.run("disconnect", Self.strap, "-q")
      let keys = """
        {"identities": [{"name": "My strap", "irk": "\(Self.key)", "address": "\(Self.strap)"}]}
        """
      return try await TemporaryFile.with(Array(keys.utf8), named: "keys.json") { file in
        try await stage.withPrivateAddress(Self.addresses[0], of: Self.strap, among: Self.addresses) {
          try await body(stage, blectl, ["BLECTL_KEYS": file.path])
        }
      }
    }

    @Test("A scan names the device behind a private address, and says whose it is")
    func scan() async throws {
      try await withStrap { _, blectl, environment in
        let result = try await blectl.run(
          "scan", "--name", "My strap", "--count", "1", "--duration", "60s", "--json",
          environment: environment)
        let record = try #require(try result.records.first)
        #expect(record["address"]?.text == Self.addresses[0])
        #expect(record["address_kind"]?.text == "resolvable")
        #expect(record["name"]?.text == "My strap")
        #expect(record["identity"]?.text == "My strap")
        #expect(record["identity_address"]?.text == Self.strap)
      }
    }

    @Test(
      "A device behind a private address is found by the name of its key, by its own name, and by its own address",
      arguments: ["My strap", "Heart Strap", strap])
    func find(_ device: String) async throws {
      try await withStrap { _, blectl, environment in
        let result = try await blectl.run(
          "read", device, "2a38", "--timeout", "60s", environment: environment)
        #expect(result.text == "01\n", "\(result.errorText)")
        _ = try await blectl.run("disconnect", device, "-q", environment: environment)
      }
    }

    @Test("A subscription follows a device that changes its private address: one gap each, nothing doubled")
    func follow() async throws {
      try await withStrap { stage, blectl, environment in
        for options in [[], ["--all"]] {
          let running = try blectl.start(
            ["subscribe", "My strap", "2a37", "--json", "--reconnect", "--reconnect-delay", "1s"] + options,
            environment: environment.mapValues { $0 }, limit: .seconds(570))
          #expect(await goesOn(running, after: 0))
          for (number, address) in (Self.addresses.dropFirst() + Self.addresses.prefix(1)).enumerated() {
            // It is out of reach while it changes, as the two take no time of their own.
            try await stage.hide(Self.strap)
            try await stage.drop(Self.strap)
            #expect(await running.waitForOutput { $0.count(of: "\"disconnected\"") == number + 1 })
            try await stage.changeAddress(Self.strap, to: address)
            try await stage.show(Self.strap)
            #expect(await goesOn(running, after: number + 1))
            let devices = try await blectl.run("devices", "--connected", "--json", environment: environment)
            #expect(try devices.records.compactMap { $0["address"]?.text }.contains(address))
          }
          running.send(signal: SIGINT)
          let records = try await running.result().records
          try expect(records)
          _ = try await blectl.run("disconnect", "My strap", "-q", environment: environment)
        }
      }
    }

    /// Waits until two values have come after that many reconnections.
    private func goesOn(_ running: ToolRun, after count: Int) async -> Bool {
      await running.waitForOutput { text in
        let parts = text.components(after: "{\"event\":\"reconnected\"")
        return parts.count > count && (parts.last?.count(of: "{\"event\":\"value\"") ?? 0) >= 2
      }
    }

    private func expect(_ records: [JSONRecord]) throws {
      let changes = records.compactMap { $0["event"]?.text }.filter { $0 != "value" }
      let pairs = (0..<Self.addresses.count).flatMap { _ in ["disconnected", "reconnected"] }
      #expect(changes == ["connected"] + pairs)
      // The strap counts its beats up from 60, from each subscription.
      var last: Int?
      for record in records {
        #expect(record["address"]?.text == Self.strap)
        guard record["event"]?.text == "value" else {
          last = nil
          continue
        }
        #expect(record["name"]?.text == "My strap")
        let beat = try #require(record["value"]?.text.flatMap { Int($0, radix: 16) })
        if let last { #expect(beat == (last == 99 ? 60 : last + 1)) }
        last = beat
      }
    }
  }
}

extension String {
  /// The parts between occurrences of a text.
  fileprivate func components(after text: String) -> [Substring] {
    var (parts, rest): ([Substring], Substring) = ([], self[...])
    while let range = rest.firstRange(of: text) {
      parts.append(rest[..<range.lowerBound])
      rest = rest[range.upperBound...]
    }
    return parts + [rest]
  }

  fileprivate func count(of text: String) -> Int { components(after: text).count - 1 }
}

extension Substring {
  fileprivate func count(of text: String) -> Int { String(self).count(of: text) }
}
